/** The actions of a lifecycle rule, in its form. */
import type { FieldError } from '../kit/command-dialog.tsx'
import { Button } from '../kit/button.tsx'
import { Checkbox, Select, TextArea, TextField } from '../kit/field.tsx'
import styles from '../kit/kit.module.css'
import { RecordsField, type NamedRecord } from '../kit/records-field.tsx'
import { SearchSelect } from '../kit/search-select.tsx'
import type { LifecycleRuleRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import {
  noStage,
  ReviewersFields,
  stageBody,
  stageValuesOf,
  type StageValues,
} from './access-review-stage.tsx'
import { accessReviewTexts } from './access-reviews-texts.ts'
import { actionNames, recipientNames, useLifecycleTexts } from './lifecycle-texts.ts'

type Action = LifecycleRuleRecord['actions'][number]

/** An action in the form: what is typed stays when the type changes. */
export interface ActionValues {
  /** For the list of the form only */
  readonly key: string
  readonly type: Action['type']
  readonly group: NamedRecord | null
  readonly package: NamedRecord | null
  readonly duration: string
  readonly to: NonNullable<Action['to']>
  readonly users: readonly NamedRecord[]
  readonly subject: string
  readonly text: string
  readonly reviewers: StageValues
  /** As typed */
  readonly days: string
  readonly continueOnError: boolean
}

const MOST_ACTIONS = 20

export const newAction = (): ActionValues => ({
  ...{ key: crypto.randomUUID(), type: 'add_to_group', group: null, package: null, duration: '' },
  ...{ to: 'user', users: [], subject: '', text: '', reviewers: noStage, days: '14', continueOnError: true },
})

export const actionValuesOf = ({
  actions,
  names,
}: Pick<LifecycleRuleRecord, 'actions' | 'names'>): readonly ActionValues[] => {
  const named = (id: string | undefined) => (id === undefined ? null : { id, name: names[id] ?? id })
  return actions.map((action) => ({
    ...newAction(),
    type: action.type,
    group: named(action.groupId),
    package: named(action.packageId),
    duration: action.duration ?? '',
    to: action.to ?? 'user',
    users: (action.userIds ?? []).map((id) => ({ id, name: names[id] ?? id })),
    subject: action.subject ?? '',
    text: action.text ?? '',
    reviewers: action.reviewers === undefined ? noStage : stageValuesOf(action.reviewers, names),
    days: String(action.durationDays ?? 14),
    continueOnError: action.continueOnError,
  }))
}

/** Returns what is sent. */
export const actionsBody = (actions: readonly ActionValues[]): readonly object[] =>
  actions.map((action) => {
    const { type, group, package: chosen, duration, to, users, subject, text, continueOnError } = action
    const common = { type, continueOnError }
    switch (type) {
      case 'add_to_group':
      case 'remove_from_group':
        return { ...common, groupId: group?.id ?? '' }
      case 'assign_package':
        return {
          ...common,
          packageId: chosen?.id ?? '',
          ...(duration.trim() === '' ? {} : { duration: duration.trim() }),
        }
      case 'remove_package':
        return { ...common, packageId: chosen?.id ?? '' }
      case 'send_email':
        return {
          ...{ ...common, to, subject: subject.trim(), text: text.trim() },
          ...(to === 'users' ? { userIds: users.map(({ id }) => id) } : {}),
        }
      case 'start_review':
        return { ...common, reviewers: stageBody(action.reviewers), durationDays: Number(action.days) }
      default:
        return common
    }
  })

const ActionFields = ({
  values,
  number,
  error,
  onChange,
}: {
  readonly values: ActionValues
  readonly number: string
  readonly error: string | null
  readonly onChange: (values: Partial<ActionValues>) => void
}) => {
  const text = useLifecycleTexts()
  const types = useTexts(actionNames)
  const readers = useTexts(recipientNames)
  const reviewTexts = useTexts(accessReviewTexts)
  const { type } = values
  return (
    <>
      <Select
        name={`action-${number}`}
        label={text.actionType}
        value={type}
        options={Object.entries(types).map(([value, label]) => ({ value, label }))}
        onChange={(value) => onChange({ type: value as Action['type'] })}
        error={error}
      />
      {(type === 'add_to_group' || type === 'remove_from_group') && (
        <SearchSelect<NamedRecord>
          name={`action-${number}-group`}
          label={text.group}
          path="/groups"
          value={values.group}
          none={text.choose}
          onChange={(group) => onChange({ group })}
        />
      )}
      {(type === 'assign_package' || type === 'remove_package') && (
        <SearchSelect<NamedRecord>
          name={`action-${number}-package`}
          label={text.package}
          path="/access-packages"
          value={values.package}
          none={text.choose}
          onChange={(chosen) => onChange({ package: chosen })}
        />
      )}
      {type === 'assign_package' && (
        <TextField
          name={`action-${number}-duration`}
          label={text.duration}
          hint={text.durationHint}
          value={values.duration}
          onChange={(duration) => onChange({ duration })}
        />
      )}
      {type === 'send_email' && (
        <>
          <Select
            name={`action-${number}-to`}
            label={text.recipient}
            value={values.to}
            options={Object.entries(readers).map(([value, label]) => ({ value, label }))}
            onChange={(value) => onChange({ to: value as ActionValues['to'] })}
          />
          {values.to === 'users' && (
            <RecordsField
              name={`action-${number}-users`}
              label={text.recipients}
              none={text.noUsers}
              path="/users"
              chosen={values.users}
              onChange={(users) => onChange({ users })}
            />
          )}
          <TextField
            name={`action-${number}-subject`}
            label={text.subject}
            value={values.subject}
            onChange={(subject) => onChange({ subject })}
          />
          <TextArea
            name={`action-${number}-text`}
            label={text.message}
            hint={text.messageHint}
            rows={5}
            value={values.text}
            onChange={(message) => onChange({ text: message })}
          />
        </>
      )}
      {type === 'start_review' && (
        <>
          <ReviewersFields
            name={`action-${number}-reviewers`}
            values={values.reviewers}
            error={null}
            onChange={(reviewers) => onChange({ reviewers })}
          />
          <TextField
            name={`action-${number}-days`}
            type="number"
            label={reviewTexts.durationDays}
            value={values.days}
            onChange={(days) => onChange({ days })}
          />
        </>
      )}
      <Checkbox
        label={text.continueOnError}
        checked={values.continueOnError}
        onChange={(continueOnError) => onChange({ continueOnError })}
      />
    </>
  )
}

export const ActionsFields = ({
  actions,
  onChange,
  errorOf,
}: {
  readonly actions: readonly ActionValues[]
  readonly onChange: (actions: readonly ActionValues[]) => void
  readonly errorOf: FieldError
}) => {
  const text = useLifecycleTexts()
  const movedUp = (at: number): readonly ActionValues[] => [
    ...actions.slice(0, at - 1),
    ...actions.slice(at, at + 1),
    ...actions.slice(at - 1, at),
    ...actions.slice(at + 1),
  ]
  return (
    <>
      <h3>{text.actions}</h3>
      {actions.map((one, at) => {
        const number = String(at + 1)
        return (
          <fieldset key={one.key} className={styles['choices']}>
            <legend>{text.action(number)}</legend>
            <ActionFields
              values={one}
              number={number}
              error={errorOf(`actions/${String(at)}`)}
              onChange={(values) =>
                onChange(actions.map((other) => (other.key === one.key ? { ...other, ...values } : other)))
              }
            />
            {at > 0 && (
              <Button small onClick={() => onChange(movedUp(at))}>
                {text.moveUp(number)}
              </Button>
            )}
            {actions.length > 1 && (
              <Button
                small
                look="danger"
                onClick={() => onChange(actions.filter(({ key }) => key !== one.key))}
              >
                {text.removeAction(number)}
              </Button>
            )}
          </fieldset>
        )
      })}
      {actions.length < MOST_ACTIONS && (
        <Button small onClick={() => onChange([...actions, newAction()])}>
          {text.addAction}
        </Button>
      )}
    </>
  )
}
