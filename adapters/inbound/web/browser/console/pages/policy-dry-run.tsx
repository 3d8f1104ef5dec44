import { useState } from 'react'
import { useCommand, useRecord } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Chart } from '../kit/chart.tsx'
import { Select } from '../kit/field.tsx'
import kitStyles from '../kit/kit.module.css'
import { PageLink } from '../kit/link.tsx'
import { Problem } from '../kit/problem.tsx'
import { Facts, Loaded, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { ApplicationLink } from '../record-links.tsx'
import type { PolicyDryRunRecord, PolicyRecord } from '../records.ts'
import { usePolicyTexts } from './policy-texts.ts'

const DAY_MS = 86_400_000
const POLL_MS = 1000

const periodDays = { week: 7, month: 30, quarter: 90, year: 365 } as const

/** What the policy would have done to past sign-ins. */
export const PolicyDryRun = ({ policy }: { readonly policy: PolicyRecord }) => {
  const text = usePolicyTexts()
  const [days, setDays] = useState<keyof typeof periodDays>('month')
  const [runId, setRunId] = useState<string | null>(null)
  const { mutate, error, isPending } = useCommand<PolicyDryRunRecord>()
  const { conditions, action, sessionMaxAgeMinutes } = policy
  return (
    <Section title={text.dryRun} hint={text.dryRunHint}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isPending) return
          const to = new Date()
          mutate(
            {
              method: 'POST',
              path: '/policies/dry-run',
              body: {
                policy: { id: policy.id, conditions, action, sessionMaxAgeMinutes },
                from: new Date(to.getTime() - periodDays[days] * DAY_MS).toISOString(),
                to: to.toISOString(),
              },
            },
            { onSuccess: ({ id }) => setRunId(id) },
          )
        }}
      >
        <Select
          name="period"
          label={text.period}
          value={days}
          options={Object.entries(text.periods).map(([value, label]) => ({ value, label }))}
          onChange={(value) => setDays(value as keyof typeof periodDays)}
        />
        <Button type="submit" look="primary" busy={isPending}>
          {text.start}
        </Button>
      </form>
      {error !== null && <Problem error={error} />}
      {runId !== null && <Run id={runId} />}
    </Section>
  )
}

const Run = ({ id }: { readonly id: string }) => {
  const text = usePolicyTexts()
  const run = useRecord<PolicyDryRunRecord>(`/policies/dry-runs/${id}`, false, ({ status }) =>
    status === 'running' ? POLL_MS : 0,
  )
  const { mutate } = useCommand()
  return (
    <Loaded query={run}>
      {(data) => (
        <>
          <p aria-live="polite">
            <Badge tone={data.status === 'done' ? 'good' : data.status === 'failed' ? 'bad' : 'neutral'}>
              {text.runStatuses[data.status]}
            </Badge>{' '}
            {text.progress(data.evaluated, data.total)}{' '}
            {data.status === 'running' && (
              <Button small onClick={() => mutate({ method: 'DELETE', path: `/policies/dry-runs/${id}` })}>
                {text.stop}
              </Button>
            )}
          </p>
          <Facts
            facts={[
              [text.newlyBlocked, data.newlyBlocked],
              [text.newlyStepUp, data.newlyStepUp],
              [text.newlyAllowed, data.newlyAllowed],
              [text.usersChanged, data.usersChanged],
              [text.withoutFacts, data.withoutFacts],
            ]}
          />
          {data.days.length > 0 && (
            <Chart
              title={text.byDay}
              pointName={text.when}
              kind="bars"
              series={[
                { name: text.newlyBlocked, tone: 'bad' },
                { name: text.newlyStepUp, tone: 'neutral' },
                { name: text.newlyAllowed, tone: 'good' },
              ]}
              points={data.days.map(({ day, newlyBlocked, newlyStepUp, newlyAllowed }) => ({
                key: day,
                label: day,
                shortLabel: day.slice(5),
                values: [newlyBlocked, newlyStepUp, newlyAllowed],
              }))}
            />
          )}
          {data.users.length > 0 && (
            <>
              <h3>{text.users}</h3>
              <ul>
                {data.users.map(({ userId, name, changed }) => (
                  <li key={userId}>
                    <PageLink to={`/console/users/${userId}`}>{name ?? userId}</PageLink>: {changed}
                  </li>
                ))}
              </ul>
              <h3>{text.applications}</h3>
              <ul>
                {data.applications.map(({ appId, changed }) => (
                  <li key={appId ?? ''}>
                    {appId === null ? text.portal : <ApplicationLink id={appId} />}: {changed}
                  </li>
                ))}
              </ul>
              <h3>{text.samples}</h3>
              <div className={kitStyles['tableFrame']} tabIndex={0} role="region" aria-label={text.samples}>
                <table className={kitStyles['table']}>
                  <thead>
                    <tr>
                      <th scope="col">{text.when}</th>
                      <th scope="col">{text.user}</th>
                      <th scope="col">{text.was}</th>
                      <th scope="col">{text.now}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.samples.map(({ signInId, time, userName, was, now }) => (
                      <tr key={signInId}>
                        <td>
                          <PageLink to={`/console/sign-ins/${signInId}`}>
                            <Time value={time} />
                          </PageLink>
                        </td>
                        <td>{userName ?? text.unknown}</td>
                        <td>{text.outcomes[was]}</td>
                        <td>{text.outcomes[now]}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </>
          )}
        </>
      )}
    </Loaded>
  )
}
