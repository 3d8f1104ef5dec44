/** What policies would decide about a sign-in. */
import { useState } from 'react'
import { useCommand, useList, useRecord } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { Select, TextField } from '../kit/field.tsx'
import kitStyles from '../kit/kit.module.css'
import { Problem } from '../kit/problem.tsx'
import { Loaded, Section } from '../kit/record.tsx'
import { SearchSelect } from '../kit/search-select.tsx'
import { usePolicyNames } from '../policy-names.ts'
import type { DeviceRecord, PolicyRecord, PolicySimulationRecord, SignInRecord } from '../records.ts'
import { usePolicyChoices } from './policy-choice-texts.ts'
import { usePolicyTexts } from './policy-texts.ts'
import { SimulationResult } from './policy-simulation-result.tsx'

interface Named {
  readonly id: string
  readonly name: string
}

interface Simulated {
  readonly user: Named | null
  readonly application: Named | null
  readonly deviceId: string
  readonly ip: string
  readonly userAgent: string
  readonly method: string
  readonly risk: string
  /** As typed */
  readonly age: string
}

const usual: Simulated = {
  ...{ user: null, application: null, deviceId: '', ip: '', userAgent: '' },
  ...{ method: 'passkey', risk: 'none', age: '0' },
}

/** Conditions name types of methods, and sign-ins name methods: they differ for this one. */
const methodOf = (type: string): string => (type === 'recovery_codes' ? 'recovery_code' : type)
const typeOf = (method: string): string => (method === 'recovery_code' ? 'recovery_codes' : method)

/** What is simulated to see a sign-in again. */
const simulatedOf = (signIn: SignInRecord, nameOf: (id: string) => string, types: readonly string[]) => {
  const { userId, email, appId, deviceId, ip, userAgent, method, risk, decision } = signIn
  const used = [...(decision?.facts.methods ?? []), method ?? ''].map(typeOf)
  return {
    user: userId === null ? null : { id: userId, name: email ?? userId },
    application: appId === null ? null : { id: appId, name: nameOf(appId) },
    deviceId: deviceId ?? '',
    ip: ip ?? '',
    userAgent: userAgent ?? '',
    method: used.find((type) => types.includes(type)) ?? usual.method,
    risk: decision?.facts.risk ?? risk,
    age: String(Math.floor((decision?.facts.authAge ?? 0) / 60)),
  }
}

/** Starts from a sign-in of the past. */
export const SimulationOfSignIn = ({ id }: { readonly id: string }) => {
  const signIn = useRecord<SignInRecord>(`/sign-ins/${id}`)
  const nameOf = usePolicyNames()
  const choices = usePolicyChoices()
  return (
    <Loaded query={signIn}>
      {(data) => (
        <PolicySimulation policy={null} start={simulatedOf(data, nameOf, Object.keys(choices.methods))} />
      )}
    </Loaded>
  )
}

/** @param policy evaluated as if it were enabled; null for the current policies alone */
export const PolicySimulation = ({
  policy,
  start = usual,
}: {
  readonly policy: PolicyRecord | null
  readonly start?: Simulated
}) => {
  const text = usePolicyTexts()
  const choices = usePolicyChoices()
  const [values, setValues] = useState(start)
  const [isUserMissing, setUserMissing] = useState(false)
  const { user, application, deviceId, ip, userAgent, method, risk, age } = values
  const set = (changed: Partial<Simulated>): void => setValues({ ...values, ...changed })
  const devices = useList<DeviceRecord>(`/users/${user?.id ?? ''}/devices`, {}, false, user !== null)
  const owned = (devices.data?.items ?? []).filter(({ userId }) => userId === user?.id)
  // A device that was removed since is new to the user again.
  const device = owned.some(({ id }) => id === deviceId) ? deviceId : ''
  const { mutate, data, error, isPending } = useCommand<PolicySimulationRecord>()
  return (
    <Section title={text.trySignIn} hint={policy === null ? text.simulateHint : text.simulateDraftHint}>
      <form
        className={kitStyles['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setUserMissing(user === null)
          if (user === null || isPending) return
          mutate({
            method: 'POST',
            path: '/policies/simulate',
            body: {
              userId: user.id,
              appId: application?.id ?? null,
              deviceId: device === '' ? null : device,
              ...(ip.trim() === '' ? {} : { ip: ip.trim() }),
              ...(userAgent.trim() === '' ? {} : { userAgent: userAgent.trim() }),
              ...{ method: methodOf(method), risk, authAgeMinutes: Number(age) || 0 },
              ...(policy === null
                ? {}
                : {
                    policy: {
                      id: policy.id,
                      conditions: policy.conditions,
                      action: policy.action,
                      sessionMaxAgeMinutes: policy.sessionMaxAgeMinutes,
                    },
                  }),
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
          error={isUserMissing && user === null ? text.chooseUser : null}
          onChange={(chosen) => set({ user: chosen, deviceId: '' })}
        />
        <SearchSelect<Named>
          name="application"
          label={text.application}
          path="/applications"
          value={application}
          none={text.own.portal}
          onChange={(chosen) => set({ application: chosen })}
        />
        <Select
          name="device"
          label={text.device}
          value={device}
          options={[
            { value: '', label: text.newDevice },
            ...owned.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(chosen) => set({ deviceId: chosen })}
        />
        <TextField name="ip" label={text.address} value={ip} onChange={(typed) => set({ ip: typed })} />
        <TextField
          name="userAgent"
          label={text.userAgent}
          hint={text.userAgentHint}
          value={userAgent}
          onChange={(typed) => set({ userAgent: typed })}
        />
        <Select
          name="method"
          label={text.method}
          value={method}
          options={Object.entries(choices.methods).map(([value, label]) => ({ value, label }))}
          onChange={(chosen) => set({ method: chosen })}
        />
        <Select
          name="risk"
          label={text.risk}
          value={risk}
          options={Object.entries(text.risks).map(([value, label]) => ({ value, label }))}
          onChange={(chosen) => set({ risk: chosen })}
        />
        <TextField
          name="age"
          type="number"
          label={text.age}
          value={age}
          onChange={(typed) => set({ age: typed })}
        />
        <Button
          type="submit"
          look="primary"
          busy={isPending || devices.isLoading || devices.isPlaceholderData}
        >
          {text.run}
        </Button>
      </form>
      {devices.error !== null && <Problem error={devices.error} retry={() => void devices.refetch()} />}
      {error !== null && <Problem error={error} />}
      <div aria-live="polite" className={kitStyles['list']}>
        {data !== undefined && <SimulationResult simulation={data} draft={policy} />}
      </div>
    </Section>
  )
}
