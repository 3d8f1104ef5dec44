import { useState } from 'react'
import { useLocation } from 'wouter'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { LifecycleRuleRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { useRuleActions } from './lifecycle-commands.ts'
import { lifecycleBody, lifecycleFieldNames, LifecycleFields, noRule } from './lifecycle-fields.tsx'
import { categoryNames, ruleStatusNames, useLifecycleTexts } from './lifecycle-texts.ts'
import { useTriggerWords } from './lifecycle-words.tsx'

const tones: Readonly<Record<LifecycleRuleRecord['status'], Tone>> = {
  disabled: 'neutral',
  enabled: 'good',
  paused_by_guard: 'bad',
}

export const RuleBadge = ({ status }: Pick<LifecycleRuleRecord, 'status'>) => {
  const names = useTexts(ruleStatusNames)
  return <Badge tone={tones[status]}>{names[status]}</Badge>
}

export const LifecycleRulesPage = () => {
  const text = useLifecycleTexts()
  const common = useTexts(commonTexts)
  const statuses = useTexts(ruleStatusNames)
  const categories = useTexts(categoryNames)
  const triggerWords = useTriggerWords()
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const actions = useRuleActions()
  const [creating, setCreating] = useState(false)
  const columns: readonly Column<LifecycleRuleRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name, status }) => (
        <span>
          <PageLink to={`/console/lifecycle/${id}`}>{name}</PageLink> <RuleBadge status={status} />
        </span>
      ),
      text: ({ name }) => name,
    },
    {
      name: 'category',
      label: text.category,
      cell: ({ category }) => (category === null ? '' : categories[category]),
      text: ({ category }) => category ?? '',
    },
    { name: 'trigger', label: text.trigger, cell: triggerWords, text: triggerWords },
    {
      name: 'runs',
      label: text.runs,
      cell: ({ runCount }) => String(runCount),
      text: ({ runCount }) => String(runCount),
    },
    {
      name: 'last',
      label: text.lastRun,
      cell: ({ lastRunAt }) => (lastRunAt === null ? text.never : <Time value={lastRunAt} relative />),
      text: ({ lastRunAt }) => lastRunAt ?? '',
    },
  ]
  const options = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([value, label]) => ({ value, label }))
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
      <RecordList<LifecycleRuleRecord>
        path="/lifecycle/rules"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="name"
        empty={text.empty}
        bulk={{ counted: text.counted, actions: Object.values(actions) }}
        filters={[
          { name: 'q', label: common.search },
          { name: 'status', label: text.state, options: options(statuses) },
          { name: 'category', label: text.category, options: options(categories) },
        ]}
      />
      {creating && <CreateRule onClose={() => setCreating(false)} />}
    </>
  )
}

const CreateRule = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useLifecycleTexts()
  const [, setLocation] = useLocation()
  const [values, setValues] = useState(noRule)
  return (
    <CommandDialog<LifecycleRuleRecord>
      title={text.create}
      confirm={text.create}
      done={text.created(values.name.trim())}
      command={() => ({ method: 'POST', path: '/lifecycle/rules', body: lifecycleBody(values) })}
      onClose={onClose}
      onDone={({ id }) => setLocation(`/console/lifecycle/${id}`)}
      names={lifecycleFieldNames(values)}
      fields={(errorOf) => <LifecycleFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}
