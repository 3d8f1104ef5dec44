/** What a lifecycle rule does, in words. */
import type { LifecycleRuleRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { actionNames, recipientNames, triggerNames, useLifecycleTexts } from './lifecycle-texts.ts'
import { RuleWords } from './rule-words.tsx'

type Trigger = LifecycleRuleRecord['trigger']
type Action = LifecycleRuleRecord['actions'][number]

/** Returns the trigger in words. */
export const useTriggerWords = () => {
  const names = useTexts(triggerNames)
  return ({ trigger, names: known }: Pick<LifecycleRuleRecord, 'trigger' | 'names'>): string => {
    const { type, attribute, groupId, packageId, days, atTime }: Trigger = trigger
    const details = [
      ...(days === undefined ? [] : [String(days)]),
      ...(attribute === undefined ? [] : [attribute]),
      ...(groupId === undefined ? [] : [known[groupId] ?? groupId]),
      ...(packageId === undefined ? [] : [known[packageId] ?? packageId]),
      ...(atTime === undefined ? [] : [atTime]),
    ]
    return details.length === 0 ? names[type] : `${names[type]}: ${details.join(', ')}`
  }
}

const ActionWords = ({
  action,
  names: known,
}: {
  readonly action: Action
  readonly names: LifecycleRuleRecord['names']
}) => {
  const text = useLifecycleTexts()
  const names = useTexts(actionNames)
  const readers = useTexts(recipientNames)
  const { type, groupId, packageId, to, userIds = [], subject, continueOnError } = action
  const target = groupId ?? packageId
  const recipients =
    to === undefined ? null : to === 'users' ? userIds.map((id) => known[id] ?? id).join(', ') : readers[to]
  return (
    <>
      {names[type]}
      {target !== undefined && (
        <>
          {': '}
          <strong>{known[target] ?? target}</strong>
        </>
      )}
      {recipients !== null && `: ${recipients} (${subject ?? ''})`}
      {!continueOnError && <span className="hint"> ({text.stopsOnError})</span>}
    </>
  )
}

export const LifecycleWords = ({ rule }: { readonly rule: LifecycleRuleRecord }) => {
  const text = useLifecycleTexts()
  const triggerWords = useTriggerWords()
  return (
    <>
      <p>
        {text.when}: <strong>{triggerWords(rule)}</strong>
        {rule.delayMinutes > 0 && `, ${text.delayed(String(rule.delayMinutes))}`}
      </p>
      {rule.conditions === null ? (
        <p>
          {text.who}: {text.everyone}
        </p>
      ) : (
        <RuleWords rule={rule.conditions} intro={{ all: text.ifAll, any: text.ifAny }} />
      )}
      <ol>
        {rule.actions.map((action, at) => (
          // Actions have no name but their number.
          <li key={String(at)}>
            <ActionWords action={action} names={rule.names} />
          </li>
        ))}
      </ol>
    </>
  )
}
