import { useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useList } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { deferred } from '../kit/deferred.tsx'
import { Select } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead, Tabs } from '../kit/record.tsx'
import { SearchSelect } from '../kit/search-select.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { usePolicyNames, useSentenceTexts } from '../policy-names.ts'
import { policySentence } from '../policy-sentence.ts'
import type { PolicyPresetRecord, PolicyRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { usePolicyActions } from './policy-commands.ts'
import { noPolicy, policyBody, policyFieldNames, PolicyFields } from './policy-fields.tsx'
import { ChangePolicyStatus, policyStatuses, PolicyStatus } from './policy-status.tsx'
import { usePolicyTexts } from './policy-texts.ts'

const SimulationOfSignIn = deferred(async () => (await import('./policy-simulation.tsx')).SimulationOfSignIn)
const PolicySimulation = deferred(async () => (await import('./policy-simulation.tsx')).PolicySimulation)

export const PoliciesPage = () => {
  const text = usePolicyTexts()
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const [creating, setCreating] = useState(false)
  const signInId = new URLSearchParams(useSearch()).get('signIn')
  return (
    <>
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          mayWrite && (
            <Button look="primary" onClick={() => setCreating(true)}>
              {text.create}
            </Button>
          )
        }
      />
      <Tabs
        label={text.views}
        path="/console/policies"
        tabs={[
          { name: 'policies', label: text.title, body: () => <Policies mayWrite={mayWrite} /> },
          {
            name: 'simulate',
            label: text.trySignIn,
            body: () =>
              signInId === null ? (
                <PolicySimulation policy={null} />
              ) : (
                <SimulationOfSignIn key={signInId} id={signInId} />
              ),
          },
        ]}
      />
      {creating && <CreatePolicy onClose={() => setCreating(false)} />}
    </>
  )
}

const Policies = ({ mayWrite }: { readonly mayWrite: boolean }) => {
  const text = usePolicyTexts()
  const common = useTexts(commonTexts)
  const words = useSentenceTexts()
  const nameOf = usePolicyNames()
  const bulk = usePolicyActions()
  const [changing, setChanging] = useState<PolicyRecord | null>(null)
  const columns: readonly Column<PolicyRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name }) => <PageLink to={`/console/policies/${id}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    {
      name: 'status',
      label: text.status,
      cell: ({ status }) => <PolicyStatus status={status} />,
      text: ({ status }) => status,
    },
    {
      name: 'what',
      label: text.what,
      cell: (policy) => policySentence(policy, nameOf, words),
      text: (policy) => policySentence(policy, nameOf, words),
    },
    {
      name: 'changed',
      label: text.changed,
      cell: ({ updatedAt }) => <Time value={updatedAt} relative />,
      text: ({ updatedAt }) => updatedAt,
    },
    ...(mayWrite
      ? [
          {
            name: 'actions',
            label: text.actionsLabel,
            cell: (policy: PolicyRecord) => (
              <Button small onClick={() => setChanging(policy)}>
                {text.setStatus} <span className="visually-hidden">{policy.name}</span>
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <>
      <RecordList<PolicyRecord>
        path="/policies"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        empty={text.empty}
        bulk={bulk}
        filters={[
          { name: 'q', label: common.search },
          {
            name: 'status',
            label: text.status,
            options: policyStatuses.map((value) => ({
              value,
              label: text.statuses[value],
            })),
          },
          {
            name: 'action',
            label: text.action,
            options: Object.entries(text.actions).map(([value, label]) => ({ value, label })),
          },
        ]}
      />
      {changing !== null && <ChangePolicyStatus policy={changing} onClose={() => setChanging(null)} />}
    </>
  )
}

const CreatePolicy = ({ onClose }: { readonly onClose: () => void }) => {
  const text = usePolicyTexts()
  const [, setLocation] = useLocation()
  const presets = useList<PolicyPresetRecord>('/policies/presets', {})
  const [preset, setPreset] = useState('')
  const [values, setValues] = useState(noPolicy)
  const nameOf = usePolicyNames()
  const needsZone = presets.data?.items.find(({ key }) => key === preset)?.needsZone === true
  const { conditions } = values
  const [zoneId] = conditions.zones.include === 'any' ? [] : conditions.zones.include
  const isMissingZone = needsZone && zoneId === undefined && conditions.zones.exclude.length === 0
  const begin = (key: string): void => {
    setPreset(key)
    const found = presets.data?.items.find((each) => each.key === key)
    if (found === undefined) return setValues(noPolicy)
    const { name, description, action, sessionMaxAgeMinutes: minutes } = found
    const maxAge = minutes === undefined ? '' : String(minutes)
    setValues({ ...noPolicy, name, description, action, conditions: found.conditions, maxAge })
  }
  return (
    <CommandDialog<PolicyRecord>
      title={text.create}
      intro={<p>{text.createIntro}</p>}
      confirm={text.create}
      done={text.created(values.name.trim())}
      command={() => ({ method: 'POST', path: '/policies', body: policyBody(values) })}
      override={{ field: 'force', confirm: text.anyway }}
      check={() => (isMissingZone ? { field: 'zone', message: text.needsZone } : null)}
      onClose={onClose}
      onDone={({ id }) => setLocation(`/console/policies/${id}`)}
      names={policyFieldNames}
      fields={(errorOf) => (
        <>
          <Select
            name="preset"
            label={text.preset}
            value={preset}
            options={[
              { value: '', label: text.noPreset },
              ...(presets.data?.items ?? []).map(({ key, name }) => ({ value: key, label: name })),
            ]}
            onChange={begin}
          />
          {needsZone && (
            <SearchSelect
              name="zone"
              label={text.zone}
              hint={text.zoneHint}
              error={errorOf('zone')}
              path="/network-zones"
              value={zoneId === undefined ? null : { id: zoneId, name: nameOf(zoneId) }}
              none={text.choose}
              onChange={(zone) => {
                const zones = { ...conditions.zones, include: zone === null ? ('any' as const) : [zone.id] }
                setValues({ ...values, conditions: { ...conditions, zones } })
              }}
            />
          )}
          <PolicyFields values={values} onChange={setValues} errorOf={errorOf} />
        </>
      )}
    />
  )
}
