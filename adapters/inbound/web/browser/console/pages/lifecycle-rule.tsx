import { useState } from 'react'
import { useLocation } from 'wouter'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { LifecycleRuleRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import {
  lifecycleBody,
  lifecycleFieldNames,
  LifecycleFields,
  lifecycleValuesOf,
} from './lifecycle-fields.tsx'
import { useRuleActions } from './lifecycle-commands.ts'
import { LifecyclePreview } from './lifecycle-preview.tsx'
import { RuleBadge } from './lifecycle-rules.tsx'
import { LifecycleRunTable } from './lifecycle-runs.tsx'
import { categoryNames, useLifecycleTexts } from './lifecycle-texts.ts'
import { LifecycleWords } from './lifecycle-words.tsx'

export const LifecycleRulePage = ({ id }: { readonly id: string }) => {
  const found = useRecord<LifecycleRuleRecord>(`/lifecycle/rules/${id}`)
  return <LoadedPage query={found}>{(data) => <LoadedRule rule={data} />}</LoadedPage>
}

type Action = 'edit' | 'enable' | 'disable' | 'delete'

const LoadedRule = ({ rule }: { readonly rule: LifecycleRuleRecord }) => {
  const text = useLifecycleTexts()
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const [action, setAction] = useState<Action | null>(null)
  const close = (): void => setAction(null)
  return (
    <>
      <PageHead
        title={rule.name}
        badge={<RuleBadge status={rule.status} />}
        lead={rule.description ?? undefined}
        actions={
          mayWrite && (
            <>
              {rule.status === 'enabled' ? (
                <Button small onClick={() => setAction('disable')}>
                  {text.disable}
                </Button>
              ) : (
                <Button small look="primary" onClick={() => setAction('enable')}>
                  {text.enable}
                </Button>
              )}
              <Button small onClick={() => setAction('edit')}>
                {text.edit}
              </Button>
              <Button small look="danger" onClick={() => setAction('delete')}>
                {text.delete}
              </Button>
            </>
          )
        }
      />
      <Tabs
        label={rule.name}
        path={`/console/lifecycle/${rule.id}`}
        tabs={[
          { name: 'overview', label: text.overview, body: () => <Overview rule={rule} /> },
          {
            name: 'preview',
            label: text.preview,
            body: () => <LifecyclePreview rule={rule} mayWrite={mayWrite} />,
          },
          {
            name: 'runs',
            label: text.runs,
            body: () => <LifecycleRunTable fixed={{ ruleId: rule.id }} of="rule" />,
          },
          {
            name: 'history',
            label: text.history,
            body: () => (
              <AuditTable path="/audit" fixed={{ targetType: 'lifecycle_rule', targetId: rule.id }} />
            ),
          },
        ]}
      />
      {action === 'edit' && <EditRule rule={rule} onClose={close} />}
      {action === 'enable' && <SwitchRule rule={rule} action="enable" onClose={close} />}
      {action === 'disable' && <SwitchRule rule={rule} action="disable" onClose={close} />}
      {action === 'delete' && <DeleteRule rule={rule} onClose={close} />}
    </>
  )
}

const Overview = ({ rule }: { readonly rule: LifecycleRuleRecord }) => {
  const text = useLifecycleTexts()
  const categories = useTexts(categoryNames)
  const { category, savedBy, enabledBy, lastRunAt, pausedUsers, maxPerRun } = rule
  return (
    <>
      {rule.status === 'paused_by_guard' && (
        <Section title={text.pausedTitle}>
          <p>{text.paused(String(pausedUsers ?? 0), String(maxPerRun))}</p>
        </Section>
      )}
      <Section title={text.what}>
        <LifecycleWords rule={rule} />
      </Section>
      <Section title={text.settings}>
        <Facts
          facts={[
            [text.category, category === null ? null : categories[category]],
            [text.limit, String(maxPerRun)],
            [text.authority, rule.actsOnAdministrators ? text.authorityYes : text.authorityNo],
            [text.savedBy, savedBy?.name ?? savedBy?.id ?? null],
            [text.enabledBy, enabledBy?.name ?? enabledBy?.id ?? null],
            [text.lastRun, lastRunAt === null ? text.never : <Time key="last" value={lastRunAt} />],
          ]}
        />
      </Section>
    </>
  )
}

interface ActionProps {
  readonly rule: LifecycleRuleRecord
  readonly onClose: () => void
}

const EditRule = ({ rule, onClose }: ActionProps) => {
  const text = useLifecycleTexts()
  const common = useTexts(commonTexts)
  const [values, setValues] = useState(() => lifecycleValuesOf(rule))
  return (
    <CommandDialog
      title={text.edit}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/lifecycle/rules/${rule.id}`,
        body: lifecycleBody(values),
        ifVersion: rule.version,
      })}
      onClose={onClose}
      names={lifecycleFieldNames(values)}
      fields={(errorOf) => <LifecycleFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}

const SwitchRule = ({ rule, action, onClose }: ActionProps & { readonly action: 'enable' | 'disable' }) => {
  const text = useLifecycleTexts()
  const isEnabling = action === 'enable'
  return (
    <ActionDialog
      action={useRuleActions()[action]}
      item={rule}
      title={isEnabling ? text.enableTitle(rule.name) : text.disableTitle(rule.name)}
      done={isEnabling ? text.enabled(rule.name) : text.disabled(rule.name)}
      onClose={onClose}
    />
  )
}

const DeleteRule = ({ rule, onClose }: ActionProps) => {
  const text = useLifecycleTexts()
  const [, setLocation] = useLocation()
  return (
    <ActionDialog
      action={useRuleActions().delete}
      item={rule}
      title={text.deleteTitle(rule.name)}
      done={text.deleted(rule.name)}
      onClose={onClose}
      onDone={() => setLocation('/console/lifecycle')}
    />
  )
}
