/** The rule of a group: in words, and its change, with who joins and leaves before it is saved. */
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { Select } from '../kit/field.tsx'
import styles from '../kit/kit.module.css'
import { Section } from '../kit/record.tsx'
import type { GroupRecord, RulePreviewRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { emptyCondition, RuleCondition, toCondition, toInput, type Draft } from './rule-condition.tsx'
import { groupRuleTexts } from './group-rule-texts.ts'
import { groupTexts } from './group-texts.ts'
import { RuleWords } from './rule-words.tsx'

export const GroupRule = ({
  group,
  mayWrite,
}: {
  readonly group: GroupRecord
  readonly mayWrite: boolean
}) => {
  const text = useTexts(groupTexts)
  const own = useTexts(groupRuleTexts)
  const [action, setAction] = useState<'edit' | 'remove' | null>(null)
  const close = (): void => setAction(null)
  return (
    <Section
      title={text.rule}
      hint={group.rule === null ? text.noRule : text.ruleHint}
      actions={
        mayWrite && (
          <>
            <Button small onClick={() => setAction('edit')}>
              {group.rule === null ? own.add : own.edit}
            </Button>
            {group.rule !== null && (
              <Button small look="danger" onClick={() => setAction('remove')}>
                {own.remove}
              </Button>
            )}
          </>
        )
      }
    >
      {group.rule !== null && <RuleWords rule={group.rule} intro={{ all: own.ifAll, any: own.ifAny }} />}
      {action === 'edit' && <EditRule group={group} onClose={close} />}
      {action === 'remove' && (
        <CommandDialog
          title={`${own.remove}: ${group.name}`}
          intro={<p>{own.removeEffect}</p>}
          confirm={own.remove}
          dangerous
          done={own.removed}
          command={() => ({ method: 'PATCH', path: `/groups/${group.id}`, body: { rule: null } })}
          onClose={close}
        />
      )}
    </Section>
  )
}

const matches = ['all', 'any'] as const

const EditRule = ({ group, onClose }: { readonly group: GroupRecord; readonly onClose: () => void }) => {
  const text = useTexts(groupRuleTexts)
  const [match, setMatch] = useState<(typeof matches)[number]>(group.rule?.match ?? 'all')
  const [drafts, setDrafts] = useState<readonly Draft[]>(
    group.rule === null ? [emptyCondition()] : group.rule.conditions.map(toInput),
  )
  const [preview, setPreview] = useState<RulePreviewRecord | null>(null)
  const rule = { match, conditions: drafts.map(toCondition) }
  if (preview !== null)
    return (
      <CommandDialog
        key="preview"
        title={text.previewTitle}
        intro={<Preview preview={preview} />}
        confirm={text.save}
        cancel={text.back}
        dangerous={preview.removedCount > 0}
        done={text.saved}
        command={() => ({ method: 'PATCH', path: `/groups/${group.id}`, body: { rule } })}
        onClose={() => setPreview(null)}
        onDone={onClose}
      />
    )
  return (
    <CommandDialog<RulePreviewRecord>
      key="rule"
      title={`${group.rule === null ? text.add : text.edit}: ${group.name}`}
      intro={<p>{text.editIntro}</p>}
      confirm={text.preview}
      command={() => ({ method: 'POST', path: `/groups/${group.id}/rule/preview`, body: { rule } })}
      onClose={onClose}
      onDone={setPreview}
      names={drafts.map((_, index) => `rule/conditions/${String(index)}`)}
      fields={(errorOf) => (
        <>
          <Select
            name="match"
            label={text.match}
            value={match}
            options={matches.map((value) => ({ value, label: text[value] }))}
            onChange={(value) => setMatch(matches.find((known) => known === value) ?? 'all')}
          />
          {drafts.map((draft, index) => (
            <RuleCondition
              key={draft.key}
              draft={draft}
              number={index + 1}
              error={errorOf(`rule/conditions/${String(index)}`)}
              onChange={(changed) =>
                setDrafts(drafts.map((other) => (other.key === draft.key ? changed : other)))
              }
              onRemove={
                drafts.length === 1
                  ? undefined
                  : () => setDrafts(drafts.filter((other) => other.key !== draft.key))
              }
            />
          ))}
          <div>
            <Button small onClick={() => setDrafts([...drafts, emptyCondition()])}>
              {text.addCondition}
            </Button>
          </div>
        </>
      )}
    />
  )
}

const Preview = ({
  preview: { added, removed, addedCount, removedCount, total },
}: {
  readonly preview: RulePreviewRecord
}) => {
  const text = useTexts(groupRuleTexts)
  return (
    <>
      <p>{text.total(total)}</p>
      {addedCount === 0 && removedCount === 0 && <p>{text.nobody}</p>}
      <People title={text.joining(addedCount)} people={added} count={addedCount} />
      <People title={text.leaving(removedCount)} people={removed} count={removedCount} />
      {removedCount > 0 && <p>{text.leavingEffect}</p>}
    </>
  )
}

const People = ({
  title,
  people,
  count,
}: {
  readonly title: string
  readonly people: RulePreviewRecord['added']
  readonly count: number
}) => {
  const text = useTexts(groupRuleTexts)
  if (count === 0) return null
  return (
    <div>
      <h3>{title}</h3>
      <ul className={styles['picks']} tabIndex={0} aria-label={title}>
        {people.map(({ userId, name, email }) => (
          <li key={userId}>
            <span>
              {name} <span className="hint">{email}</span>
            </span>
          </li>
        ))}
      </ul>
      {count > people.length && <p className="hint">{text.more(count - people.length)}</p>}
    </div>
  )
}
