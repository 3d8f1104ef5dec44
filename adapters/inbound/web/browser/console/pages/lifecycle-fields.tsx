/** The form of a lifecycle rule. */
import { triggerAttributes } from '../../../../../../domain/lifecycle-rule/settings.ts'
import type { FieldError } from '../kit/command-dialog.tsx'
import { Button } from '../kit/button.tsx'
import { Checkbox, Select, TextArea, TextField } from '../kit/field.tsx'
import type { NamedRecord } from '../kit/records-field.tsx'
import { SearchSelect } from '../kit/search-select.tsx'
import type { LifecycleRuleRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import {
  actionsBody,
  ActionsFields,
  actionValuesOf,
  newAction,
  type ActionValues,
} from './lifecycle-actions.tsx'
import { categoryNames, triggerNames, useLifecycleTexts } from './lifecycle-texts.ts'
import { emptyCondition, RuleCondition, toCondition, toInput, type Draft } from './rule-condition.tsx'

type Trigger = LifecycleRuleRecord['trigger']
type Category = NonNullable<LifecycleRuleRecord['category']>

export interface LifecycleValues {
  readonly name: string
  readonly description: string
  readonly category: Category | ''
  readonly type: Trigger['type']
  readonly attribute: string
  readonly group: NamedRecord | null
  readonly package: NamedRecord | null
  readonly days: string
  readonly atTime: string
  readonly timeZone: string
  readonly match: 'all' | 'any'
  /** Empty: every user */
  readonly conditions: readonly Draft[]
  readonly actions: readonly ActionValues[]
  readonly delay: string
  readonly limit: string
}

export const noRule = (): LifecycleValues => ({
  ...{ name: '', description: '', category: '', type: 'user_created', attribute: '', group: null },
  ...{ package: null, days: '7', atTime: '', timeZone: '', match: 'all', conditions: [] },
  ...{ actions: [newAction()], delay: '0', limit: '100' },
})

export const lifecycleValuesOf = (rule: LifecycleRuleRecord): LifecycleValues => {
  const { trigger, names, conditions } = rule
  const named = (id: string | undefined) => (id === undefined ? null : { id, name: names[id] ?? id })
  return {
    name: rule.name,
    description: rule.description ?? '',
    category: rule.category ?? '',
    type: trigger.type,
    attribute: trigger.attribute ?? '',
    group: named(trigger.groupId),
    package: named(trigger.packageId),
    days: String(trigger.days ?? 7),
    atTime: trigger.atTime ?? '',
    timeZone: trigger.timeZone ?? '',
    match: conditions?.match ?? 'all',
    conditions: (conditions?.conditions ?? []).map(toInput),
    actions: actionValuesOf(rule),
    delay: String(rule.delayMinutes),
    limit: String(rule.maxPerRun),
  }
}

const countsDays = (type: Trigger['type']): boolean => /^days_|_days$|^assignment/.test(type)
const isOfProfileDate = (type: Trigger['type']): boolean => /^days_|^on_end_date$/.test(type)
const isOfGroup = (type: Trigger['type']): boolean => type === 'group_joined' || type === 'group_left'

const triggerBody = (values: LifecycleValues) => {
  const { type, attribute, group, package: chosen, days, atTime, timeZone } = values
  const typed = (name: string, value: string) => (value.trim() === '' ? {} : { [name]: value.trim() })
  return {
    type,
    ...(type === 'attribute_changed' ? typed('attribute', attribute) : {}),
    ...(isOfGroup(type) ? { groupId: group?.id ?? '' } : {}),
    ...(type === 'assignment_expiring' && chosen !== null ? { packageId: chosen.id } : {}),
    ...(countsDays(type) ? { days: Number(days) } : {}),
    ...(isOfProfileDate(type) ? { ...typed('atTime', atTime), ...typed('timeZone', timeZone) } : {}),
  }
}

/** Returns what is sent. */
export const lifecycleBody = (values: LifecycleValues) => ({
  name: values.name.trim(),
  description: values.description.trim() === '' ? null : values.description.trim(),
  category: values.category === '' ? null : values.category,
  trigger: triggerBody(values),
  conditions:
    values.conditions.length === 0
      ? null
      : { match: values.match, conditions: values.conditions.map(toCondition) },
  actions: actionsBody(values.actions),
  delayMinutes: Number(values.delay),
  maxPerRun: Number(values.limit),
})

/** The names of the fields, for their errors. */
export const lifecycleFieldNames = (values: LifecycleValues): readonly string[] => [
  'name',
  'description',
  'trigger',
  'conditions',
  'delayMinutes',
  'maxPerRun',
  ...values.actions.map((_, at) => `actions/${String(at)}`),
]

interface Props {
  readonly values: LifecycleValues
  readonly onChange: (values: LifecycleValues) => void
  readonly errorOf: FieldError
}

const TriggerFields = ({ values, onChange, errorOf }: Props) => {
  const text = useLifecycleTexts()
  const { manual: _, ...names } = useTexts(triggerNames)
  const { type } = values
  const change = (some: Partial<LifecycleValues>): void => onChange({ ...values, ...some })
  return (
    <>
      <Select
        name="trigger"
        label={text.trigger}
        value={type}
        options={Object.entries(names).map(([value, label]) => ({ value, label }))}
        onChange={(value) => change({ type: value as Trigger['type'] })}
        error={errorOf('trigger')}
      />
      {type === 'attribute_changed' && (
        <Select
          name="attribute"
          label={text.attribute}
          value={values.attribute}
          options={[
            { value: '', label: text.anyAttribute },
            ...[...new Set([...triggerAttributes, values.attribute])]
              .filter((value) => value !== '')
              .map((value) => ({ value, label: value })),
          ]}
          onChange={(attribute) => change({ attribute })}
        />
      )}
      {isOfGroup(type) && (
        <SearchSelect<NamedRecord>
          name="trigger-group"
          label={text.group}
          path="/groups"
          value={values.group}
          none={text.choose}
          onChange={(group) => change({ group })}
        />
      )}
      {type === 'assignment_expiring' && (
        <SearchSelect<NamedRecord>
          name="trigger-package"
          label={text.package}
          path="/access-packages"
          value={values.package}
          none={text.anyPackage}
          onChange={(chosen) => change({ package: chosen })}
        />
      )}
      {countsDays(type) && (
        <TextField
          name="days"
          type="number"
          label={text.days}
          value={values.days}
          onChange={(days) => change({ days })}
        />
      )}
      {isOfProfileDate(type) && (
        <>
          <TextField
            name="atTime"
            label={text.atTime}
            hint={text.atTimeHint}
            value={values.atTime}
            onChange={(atTime) => change({ atTime })}
          />
          <TextField
            name="timeZone"
            label={text.timeZone}
            hint={text.timeZoneHint}
            value={values.timeZone}
            onChange={(timeZone) => change({ timeZone })}
          />
        </>
      )}
    </>
  )
}

const ConditionFields = ({ values, onChange, errorOf }: Props) => {
  const text = useLifecycleTexts()
  const { conditions } = values
  const change = (some: Partial<LifecycleValues>): void => onChange({ ...values, ...some })
  return (
    <>
      <Checkbox
        label={text.conditions}
        checked={conditions.length > 0}
        onChange={(checked) => change({ conditions: checked ? [emptyCondition()] : [] })}
      />
      {conditions.length > 0 && (
        <>
          <Select
            name="match"
            label={text.match}
            value={values.match}
            options={(['all', 'any'] as const).map((value) => ({ value, label: text[value] }))}
            onChange={(value) => change({ match: value === 'any' ? 'any' : 'all' })}
          />
          {conditions.map((draft, at) => (
            <RuleCondition
              key={draft.key}
              draft={draft}
              number={at + 1}
              error={errorOf(`conditions/conditions/${String(at)}`)}
              onChange={(changed) =>
                change({ conditions: conditions.map((one) => (one.key === draft.key ? changed : one)) })
              }
              onRemove={() => change({ conditions: conditions.filter(({ key }) => key !== draft.key) })}
            />
          ))}
          <Button small onClick={() => change({ conditions: [...conditions, emptyCondition()] })}>
            {text.addCondition}
          </Button>
        </>
      )}
    </>
  )
}

export const LifecycleFields = ({ values, onChange, errorOf }: Props) => {
  const text = useLifecycleTexts()
  const categories = useTexts(categoryNames)
  const change = (some: Partial<LifecycleValues>): void => onChange({ ...values, ...some })
  return (
    <>
      <TextField
        name="name"
        label={text.name}
        value={values.name}
        error={errorOf('name')}
        onChange={(name) => change({ name })}
        required
      />
      <TextArea
        name="description"
        label={text.description}
        value={values.description}
        error={errorOf('description')}
        onChange={(description) => change({ description })}
      />
      <Select
        name="category"
        label={text.category}
        value={values.category}
        options={[
          { value: '', label: text.noCategory },
          ...Object.entries(categories).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(category) => change({ category: category as Category | '' })}
      />
      <TriggerFields values={values} onChange={onChange} errorOf={errorOf} />
      <ConditionFields values={values} onChange={onChange} errorOf={errorOf} />
      <ActionsFields actions={values.actions} onChange={(actions) => change({ actions })} errorOf={errorOf} />
      <TextField
        name="delayMinutes"
        type="number"
        label={text.delay}
        value={values.delay}
        error={errorOf('delayMinutes')}
        onChange={(delay) => change({ delay })}
      />
      <TextField
        name="maxPerRun"
        type="number"
        label={text.limit}
        hint={text.limitHint}
        value={values.limit}
        error={errorOf('maxPerRun')}
        onChange={(limit) => change({ limit })}
      />
    </>
  )
}
