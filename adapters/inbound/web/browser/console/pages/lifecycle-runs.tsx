/** What lifecycle rules did, with each action and its error. */
import type { Query } from '../api.ts'
import { Badge, type Tone } from '../kit/badge.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Time } from '../kit/time.tsx'
import type { LifecycleRunRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import {
  actionNames,
  runStatusNames,
  skipReasonNames,
  stepStatusNames,
  triggerNames,
  useLifecycleTexts,
} from './lifecycle-texts.ts'

const tones: Readonly<Record<LifecycleRunRecord['status'], Tone>> = {
  scheduled: 'warn',
  running: 'warn',
  succeeded: 'good',
  partially_failed: 'bad',
  failed: 'bad',
  skipped: 'neutral',
}

const Steps = ({ run: { steps, skipReason, depth } }: { readonly run: LifecycleRunRecord }) => {
  const text = useLifecycleTexts()
  const actions = useTexts(actionNames)
  const statuses = useTexts(stepStatusNames)
  const reasons = useTexts(skipReasonNames)
  return (
    <>
      {skipReason !== null && <p>{reasons[skipReason]}</p>}
      {skipReason === null && (
        <ol>
          {steps.map(({ action, status, error }, at) => (
            // Actions have no name but their number.
            <li key={String(at)}>
              {actions[action]}: {statuses[status]}
              {error !== null && <span className="hint"> ({error.message})</span>}
            </li>
          ))}
        </ol>
      )}
      {depth > 1 && <span className="hint">{text.depth(String(depth))}</span>}
    </>
  )
}

export const LifecycleRunTable = ({ fixed, of }: { readonly fixed: Query; readonly of: 'rule' | 'user' }) => {
  const text = useLifecycleTexts()
  const statuses = useTexts(runStatusNames)
  const triggers = useTexts(triggerNames)
  const columns: readonly Column<LifecycleRunRecord>[] = [
    of === 'rule'
      ? {
          name: 'user',
          label: text.user,
          cell: ({ userId, userName }) => <PageLink to={`/console/users/${userId}`}>{userName}</PageLink>,
          text: ({ userName }) => userName,
        }
      : {
          name: 'rule',
          label: text.name,
          cell: ({ ruleId, ruleName }) => <PageLink to={`/console/lifecycle/${ruleId}`}>{ruleName}</PageLink>,
          text: ({ ruleName }) => ruleName,
        },
    {
      name: 'status',
      label: text.state,
      cell: ({ status }) => <Badge tone={tones[status]}>{statuses[status]}</Badge>,
      text: ({ status }) => statuses[status],
    },
    {
      name: 'trigger',
      label: text.trigger,
      cell: ({ trigger }) => triggers[trigger],
      text: ({ trigger }) => triggers[trigger],
    },
    {
      name: 'steps',
      label: text.steps,
      cell: (run) => <Steps run={run} />,
      text: ({ steps }) => steps.map(({ action, status }) => `${action} ${status}`).join(', '),
    },
    {
      name: 'time',
      label: text.time,
      cell: ({ status, dueAt, createdAt }) =>
        status === 'scheduled' ? (
          <>
            {text.due} <Time value={dueAt} relative />
          </>
        ) : (
          <Time value={createdAt} relative />
        ),
      text: ({ createdAt }) => createdAt,
    },
  ]
  return (
    <RecordList<LifecycleRunRecord>
      path="/lifecycle/runs"
      label={text.runs}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ ruleName, userName }) => (of === 'rule' ? userName : ruleName)}
      empty={of === 'rule' ? text.noRuns : text.noRunsOfUser}
      filters={[
        {
          name: 'status',
          label: text.state,
          options: Object.entries(statuses).map(([value, label]) => ({ value, label })),
        },
      ]}
      fixed={fixed}
    />
  )
}
