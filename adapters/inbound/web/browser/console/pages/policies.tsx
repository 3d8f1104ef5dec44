import { useState } from 'react'
import { useLocation } from 'wouter'
import { useList } from '../api.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Select } from '../kit/field.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { usePolicyNames, useSentenceTexts } from '../policy-names.ts'
import { policySentence } from '../policy-sentence.ts'
import type { PolicyPresetRecord, PolicyRecord, PolicyVersionRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { noPolicy, policyBody, policyFieldNames, PolicyFields } from './policy-fields.tsx'
import { usePolicyTexts } from './policy-texts.ts'

const tones: Readonly<Record<PolicyVersionRecord['status'], Tone>> = {
  enabled: 'good',
  report_only: 'warn',
  disabled: 'neutral',
  deleted: 'neutral',
}

export const PolicyStatus = ({ status }: { readonly status: PolicyVersionRecord['status'] }) => {
  const text = usePolicyTexts()
  return <Badge tone={tones[status]}>{text.statuses[status]}</Badge>
}

export const PoliciesPage = () => {
  const text = usePolicyTexts()
  const common = useTexts(commonTexts)
  const words = useSentenceTexts()
  const nameOf = usePolicyNames()
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const [creating, setCreating] = useState(false)
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
  ]
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
      <RecordList<PolicyRecord>
        path="/policies"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        empty={text.empty}
        filters={[
          { name: 'q', label: common.search },
          {
            name: 'status',
            label: text.status,
            options: (['enabled', 'report_only', 'disabled'] as const).map((value) => ({
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
      {creating && <CreatePolicy onClose={() => setCreating(false)} />}
    </>
  )
}

const CreatePolicy = ({ onClose }: { readonly onClose: () => void }) => {
  const text = usePolicyTexts()
  const [, setLocation] = useLocation()
  const presets = useList<PolicyPresetRecord>('/policies/presets', {})
  const [preset, setPreset] = useState('')
  const [values, setValues] = useState(noPolicy)
  const begin = (key: string): void => {
    setPreset(key)
    const found = presets.data?.items.find((each) => each.key === key)
    if (found === undefined) return
    const { name, description, action, conditions, sessionMaxAgeMinutes: minutes } = found
    const maxAge = minutes === undefined ? '' : String(minutes)
    setValues({ ...noPolicy, name, description, action, conditions, maxAge })
  }
  return (
    <CommandDialog<PolicyRecord>
      title={text.create}
      intro={<p>{text.createIntro}</p>}
      confirm={text.create}
      done={text.created(values.name.trim())}
      command={() => ({ method: 'POST', path: '/policies', body: policyBody(values) })}
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
          <PolicyFields values={values} onChange={setValues} errorOf={errorOf} />
        </>
      )}
    />
  )
}
