import { useState } from 'react'
import { useLocation } from 'wouter'
import { useRecord } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { deferred } from '../kit/deferred.tsx'
import { LoadedPage, PageHead, Tabs } from '../kit/record.tsx'
import { useMoment } from '../moment.tsx'
import { usePolicyNames, useSentenceTexts } from '../policy-names.ts'
import { policySentence } from '../policy-sentence.ts'
import type { PolicyRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { useDeletePolicy } from './policy-commands.ts'
import { PolicyConditions } from './policy-conditions.tsx'
import { policyBody, policyFieldNames, PolicyFields, valuesOf } from './policy-fields.tsx'
import { ChangePolicyStatus, PolicyStatus } from './policy-status.tsx'
import { usePolicyTexts } from './policy-texts.ts'

const PolicySimulation = deferred(async () => (await import('./policy-simulation.tsx')).PolicySimulation)
const PolicyDryRun = deferred(async () => (await import('./policy-dry-run.tsx')).PolicyDryRun)
const PolicyHistory = deferred(async () => (await import('./policy-history.tsx')).PolicyHistory)

export const PolicyPage = ({ id }: { readonly id: string }) => {
  const policy = useRecord<PolicyRecord>(`/policies/${id}`)
  return <LoadedPage query={policy}>{(data) => <LoadedPolicy policy={data} />}</LoadedPage>
}

const LoadedPolicy = ({ policy }: { readonly policy: PolicyRecord }) => {
  const text = usePolicyTexts()
  const words = useSentenceTexts()
  const nameOf = usePolicyNames()
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const [action, setAction] = useState<'edit' | 'status' | 'delete' | null>(null)
  const close = (): void => setAction(null)
  const sentence = policySentence(policy, nameOf, words)
  return (
    <>
      <PageHead
        title={policy.name}
        badge={<PolicyStatus status={policy.status} />}
        lead={sentence}
        actions={
          mayWrite && (
            <>
              <Button small onClick={() => setAction('edit')}>
                {text.edit}
              </Button>
              <Button small onClick={() => setAction('status')}>
                {text.setStatus}
              </Button>
              <Button small look="danger" onClick={() => setAction('delete')}>
                {text.delete}
              </Button>
            </>
          )
        }
      />
      <Tabs
        label={policy.name}
        path={`/console/policies/${policy.id}`}
        tabs={[
          {
            name: 'overview',
            label: text.overview,
            body: () => <PolicyConditions policy={policy} />,
          },
          {
            name: 'simulate',
            label: text.simulate,
            body: () => <PolicySimulation policy={policy} />,
          },
          {
            name: 'dry-run',
            label: text.dryRun,
            body: () => <PolicyDryRun policy={policy} />,
          },
          {
            name: 'history',
            label: text.history,
            body: () => <PolicyHistory id={policy.id} />,
          },
        ]}
      />
      {action === 'edit' && <EditPolicy policy={policy} onClose={close} />}
      {action === 'status' && <ChangePolicyStatus policy={policy} onClose={close} />}
      {action === 'delete' && <DeletePolicy policy={policy} onClose={close} />}
    </>
  )
}

interface ActionProps {
  readonly policy: PolicyRecord
  readonly onClose: () => void
}

const EditPolicy = ({ policy, onClose }: ActionProps) => {
  const text = usePolicyTexts()
  const common = useTexts(commonTexts)
  const [values, setValues] = useState(() => valuesOf(policy))
  return (
    <CommandDialog
      title={text.edit}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/policies/${policy.id}`,
        body: policyBody(values),
        ifVersion: policy.version,
      })}
      override={{ field: 'force', confirm: text.anyway }}
      onClose={onClose}
      names={policyFieldNames}
      fields={(errorOf) => <PolicyFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}

const DeletePolicy = ({ policy, onClose }: ActionProps) => {
  const text = usePolicyTexts()
  const [, setLocation] = useLocation()
  return (
    <ActionDialog
      action={useDeletePolicy()}
      item={policy}
      title={text.deleteTitle(policy.name)}
      done={text.deleted(policy.name)}
      onClose={onClose}
      onDone={() => setLocation('/console/policies')}
    />
  )
}
