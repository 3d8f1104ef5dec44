import kitStyles from '../kit/kit.module.css'
import { useState } from 'react'
import { useCommand } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Select, TextField } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { Problem } from '../kit/problem.tsx'
import { Section } from '../kit/record.tsx'
import { SearchSelect } from '../kit/search-select.tsx'
import { useSentenceTexts } from '../policy-names.ts'
import type { PolicyRecord, PolicySimulationRecord } from '../records.ts'
import { usePolicyTexts } from './policy-texts.ts'

interface Named {
  readonly id: string
  readonly name: string
}

/** The names of methods in the API are those of sign-ins. */
const methodOf = (type: string): string => (type === 'recovery_codes' ? 'recovery_code' : type)

/** What the current policies would decide, with this one enabled. */
export const PolicySimulation = ({ policy }: { readonly policy: PolicyRecord }) => {
  const text = usePolicyTexts()
  const words = useSentenceTexts()
  const [user, setUser] = useState<Named | null>(null)
  const [application, setApplication] = useState<Named | null>(null)
  const [ip, setIp] = useState('')
  const [method, setMethod] = useState('passkey')
  const [risk, setRisk] = useState('none')
  const [age, setAge] = useState('0')
  const { mutate, data, error, isPending } = useCommand<PolicySimulationRecord>()
  return (
    <Section title={text.simulate} hint={text.simulateHint}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (user === null || isPending) return
          const { conditions, action, sessionMaxAgeMinutes } = policy
          mutate({
            method: 'POST',
            path: '/policies/simulate',
            body: {
              userId: user.id,
              appId: application?.id ?? null,
              ...(ip.trim() === '' ? {} : { ip: ip.trim() }),
              ...{ method: methodOf(method), risk, authAgeMinutes: Number(age) || 0 },
              policy: { id: policy.id, conditions, action, sessionMaxAgeMinutes },
            },
          })
        }}
      >
        <SearchSelect<Named>
          name="user"
          label={text.user}
          path="/users"
          value={user}
          none={text.choose}
          onChange={setUser}
        />
        <SearchSelect<Named>
          name="application"
          label={text.application}
          path="/applications"
          value={application}
          none={text.portal}
          onChange={setApplication}
        />
        <TextField name="ip" label={text.address} value={ip} onChange={setIp} />
        <Select
          name="method"
          label={text.method}
          value={method}
          options={Object.entries(words.methodNames).map(([value, label]) => ({ value, label }))}
          onChange={setMethod}
        />
        <Select
          name="risk"
          label={text.risk}
          value={risk}
          options={Object.entries(text.risks).map(([value, label]) => ({ value, label }))}
          onChange={setRisk}
        />
        <TextField name="age" type="number" label={text.age} value={age} onChange={setAge} />
        <Button type="submit" look="primary" busy={isPending}>
          {text.run}
        </Button>
      </form>
      {error !== null && <Problem error={error} />}
      <div aria-live="polite">
        {data !== undefined && (
          <>
            <p>
              {text.result}:{' '}
              <Badge tone={data.outcome === 'allow' ? 'good' : data.outcome === 'block' ? 'bad' : 'warn'}>
                {text.outcomes[data.outcome]}
              </Badge>
            </p>
            <div className={kitStyles['tableFrame']}>
              <table className={kitStyles['table']}>
                <thead>
                  <tr>
                    <th scope="col">{text.name}</th>
                    <th scope="col">{text.matched}</th>
                    <th scope="col">{text.failing}</th>
                  </tr>
                </thead>
                <tbody>
                  {data.trace.map(({ policyId, name, matches, conditions }) => (
                    <tr key={policyId}>
                      <th scope="row">
                        {policyId === policy.id ? (
                          policy.name
                        ) : (
                          <PageLink to={`/console/policies/${policyId}`}>{name}</PageLink>
                        )}
                      </th>
                      <td>{matches ? '✓' : '–'}</td>
                      <td>
                        {conditions
                          .filter(({ holds }) => !holds)
                          .map(({ condition }) => text.conditions[condition])
                          .join(', ')}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
      </div>
    </Section>
  )
}
