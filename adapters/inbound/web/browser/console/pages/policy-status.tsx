/** The status of a policy: its badge, and the dialog that changes it. */
import { useState } from 'react'
import { Badge, type Tone } from '../kit/badge.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Select } from '../kit/field.tsx'
import type { PolicyRecord, PolicyVersionRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { usePolicyTexts } from './policy-texts.ts'

const tones: Readonly<Record<PolicyVersionRecord['status'], Tone>> = {
  enabled: 'good',
  report_only: 'warn',
  disabled: 'neutral',
  deleted: 'neutral',
}

export const policyStatuses = ['enabled', 'report_only', 'disabled'] as const

export const PolicyStatus = ({ status }: { readonly status: PolicyVersionRecord['status'] }) => {
  const text = usePolicyTexts()
  return <Badge tone={tones[status]}>{text.statuses[status]}</Badge>
}

export const ChangePolicyStatus = ({
  policy: { id, name, status: current },
  onClose,
}: {
  readonly policy: PolicyRecord
  readonly onClose: () => void
}) => {
  const text = usePolicyTexts()
  const common = useTexts(commonTexts)
  const [status, setStatus] = useState(current)
  return (
    <CommandDialog
      title={text.setStatusOf(name)}
      confirm={common.save}
      done={text.statusSaved(name)}
      command={() => ({ method: 'PATCH', path: `/policies/${id}`, body: { status } })}
      override={{ field: 'force', confirm: text.anyway }}
      onClose={onClose}
      fields={() => (
        <Select
          name="status"
          label={text.status}
          hint={text.statusEffects[status]}
          value={status}
          options={policyStatuses.map((value) => ({ value, label: text.statuses[value] }))}
          onChange={(value) => setStatus(value as PolicyRecord['status'])}
        />
      )}
    />
  )
}
