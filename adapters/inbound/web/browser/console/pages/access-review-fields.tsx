import { riskLevels, type RiskLevel } from '../../../../../../domain/risk/events.ts'
import { roleKeys, roles } from '../../../../../../domain/roles.ts'
import type { FieldError } from '../kit/command-dialog.tsx'
import { Checkbox, FieldGroup, Select, TextArea, TextField } from '../kit/field.tsx'
import { RecordsField, type NamedRecord } from '../kit/records-field.tsx'
import type { AccessReviewRecord } from '../records.ts'
import { riskLevelTexts } from '../risk-texts.ts'
import { useTexts } from '../text.tsx'
import {
  noStage,
  stageBody,
  StageFields,
  stageValuesOf,
  type ReviewerKind,
  type StageValues,
} from './access-review-stage.tsx'
import {
  accessReviewTexts,
  reviewRepeatNames,
  justificationNames,
  noResponseNames,
  reviewerTypeNames,
  reviewScopeNames,
} from './access-reviews-texts.ts'

type Scope = AccessReviewRecord['scope']['type']
type Settings = AccessReviewRecord['settings']
export interface ReviewValues {
  readonly name: string
  readonly description: string
  readonly scope: Scope
  readonly resources: readonly NamedRecord[]
  /** Only their members; empty for everybody */
  readonly members: readonly NamedRecord[]
  /** Only users who have not signed in for so many days, as typed; empty for everybody */
  readonly unusedDays: string
  /** Only users with an open risk of this level, or a higher one; empty for everybody */
  readonly riskLevel: '' | RiskLevel
  readonly stage: StageValues
  readonly second: StageValues | null
  /** As the browser's field has it, in UTC */
  readonly startsAt: string
  readonly durationDays: string
  readonly repeat: AccessReviewRecord['schedule']['repeat']
  readonly settings: Omit<Settings, 'reminders' | 'recommendationInactiveDays'>
  readonly reminders: string
  readonly inactiveDays: string
}

export const noReview = (now: Date): ReviewValues => ({
  name: '',
  description: '',
  scope: 'group',
  resources: [],
  members: [],
  unusedDays: '',
  riskLevel: '',
  stage: noStage,
  second: null,
  startsAt: now.toISOString().slice(0, 16),
  durationDays: '14',
  repeat: 'none',
  settings: {
    justificationRequired: 'on_revoke',
    selfReview: false,
    bulkDecisions: true,
    onNoResponse: 'keep',
    autoApply: true,
  },
  reminders: '7, 1',
  inactiveDays: '30',
})

export const reviewValuesOf = (review: AccessReviewRecord): ReviewValues => {
  const { scope, stages, schedule, settings, names } = review
  const nameOf = (id: string): string =>
    names[id] ?? (scope.type === 'role' ? roles[id as keyof typeof roles] : id)
  const named = (ids: readonly string[] = []) => ids.map((id) => ({ id, name: nameOf(id) }))
  const [stage = noStage, second = null] = stages.map((one) => stageValuesOf(one, names))
  const { reminders, recommendationInactiveDays, ...others } = settings
  return {
    name: review.name,
    description: review.description ?? '',
    scope: scope.type,
    resources: named(scope.ids),
    members: named(scope.userFilter?.groupIds),
    unusedDays: String(scope.userFilter?.inactiveDays ?? ''),
    riskLevel: scope.userFilter?.riskLevel ?? '',
    stage,
    second,
    startsAt: schedule.startsAt.slice(0, 16),
    durationDays: String(schedule.durationDays),
    repeat: schedule.repeat,
    settings: others,
    reminders: reminders.join(', '),
    inactiveDays: String(recommendationInactiveDays),
  }
}

export const reviewFieldNames = ['name', 'description', 'scope', 'stages', 'schedule', 'settings']

const idsOf = (records: readonly NamedRecord[]): readonly string[] => records.map(({ id }) => id)

const userFilterOf = ({ members, unusedDays, riskLevel }: ReviewValues): object => {
  const filter = {
    ...(members.length === 0 ? {} : { groupIds: idsOf(members) }),
    ...(unusedDays.trim() === '' ? {} : { inactiveDays: Number(unusedDays) }),
    ...(riskLevel === '' ? {} : { riskLevel }),
  }
  return Object.keys(filter).length === 0 ? {} : { userFilter: filter }
}

/** The body of a request that creates or changes the review. */
export const reviewBody = (values: ReviewValues) => ({
  name: values.name.trim(),
  description: values.description.trim() === '' ? null : values.description.trim(),
  scope: { type: values.scope, ids: idsOf(values.resources), ...userFilterOf(values) },
  stages: [values.stage, ...(values.second === null ? [] : [values.second])].map(stageBody),
  schedule: {
    startsAt: `${values.startsAt}:00Z`,
    durationDays: Number(values.durationDays),
    repeat: values.repeat,
  },
  settings: {
    ...values.settings,
    reminders: values.reminders
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(Number),
    recommendationInactiveDays: Number(values.inactiveDays),
  },
})

/** The lists in which what is reviewed is searched. */
const paths: Readonly<Record<Exclude<Scope, 'role'>, string>> = {
  application: '/applications',
  group: '/groups',
  package: '/access-packages',
  user: '/users',
  service_account: '/service-accounts',
}

const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

export const ReviewFields = ({
  values,
  onChange,
  errorOf,
}: {
  readonly values: ReviewValues
  readonly onChange: (values: ReviewValues) => void
  readonly errorOf: FieldError
}) => {
  const text = useTexts(accessReviewTexts)
  const repeats = useTexts(reviewRepeatNames)
  const justifications = useTexts(justificationNames)
  const silences = useTexts(noResponseNames)
  const scopes = useTexts(reviewScopeNames)
  const kinds = useTexts(reviewerTypeNames)
  const risks = useTexts(riskLevelTexts)
  const set = (some: Partial<ReviewValues>): void => onChange({ ...values, ...some })
  const { scope, resources, stage, second, settings } = values
  const setting = (some: Partial<ReviewValues['settings']>): void =>
    set({ settings: { ...settings, ...some } })
  return (
    <>
      <TextField
        name="name"
        label={text.name}
        required
        value={values.name}
        onChange={(name) => set({ name })}
        error={errorOf('name')}
      />
      <TextArea
        name="description"
        label={text.description}
        rows={2}
        value={values.description}
        onChange={(description) => set({ description })}
        error={errorOf('description')}
      />
      <Select
        name="scope"
        label={text.scopeType}
        value={scope}
        options={optionsOf(scopes)}
        onChange={(type) => set({ scope: type as Scope, resources: [] })}
      />
      {scope === 'role' ? (
        <FieldGroup label={text.roleIds}>
          {roleKeys.map((key) => (
            <Checkbox
              key={key}
              label={roles[key]}
              checked={resources.some(({ id }) => id === key)}
              onChange={(isChosen) =>
                set({
                  resources: isChosen
                    ? [...resources, { id: key, name: roles[key] }]
                    : resources.filter(({ id }) => id !== key),
                })
              }
            />
          ))}
        </FieldGroup>
      ) : (
        <RecordsField
          key={scope}
          name="resources"
          label={text.ids}
          none={text.noneFound}
          path={paths[scope]}
          chosen={resources}
          error={errorOf('scope')}
          onChange={(chosen) => set({ resources: chosen })}
        />
      )}
      {scope !== 'service_account' && (
        <>
          <RecordsField
            name="members"
            label={text.members}
            none={text.noneFound}
            path="/groups"
            chosen={values.members}
            onChange={(members) => set({ members })}
          />
          <TextField
            name="unusedDays"
            type="number"
            label={text.unusedDays}
            value={values.unusedDays}
            onChange={(unusedDays) => set({ unusedDays })}
          />
          <Select
            name="riskLevel"
            label={text.riskLevel}
            value={values.riskLevel}
            options={[
              { value: '', label: text.anyRisk },
              ...riskLevels.map((level) => ({ value: level, label: text.atLeast(risks[level]) })),
            ]}
            onChange={(riskLevel) => set({ riskLevel: riskLevel as ReviewValues['riskLevel'] })}
          />
        </>
      )}
      <Select
        name="reviewers"
        label={text.reviewerType}
        value={stage.type}
        options={optionsOf(kinds)}
        onChange={(type) => set({ stage: { ...stage, type: type as ReviewerKind, reviewers: [] } })}
      />
      <StageFields
        name="first"
        values={stage}
        error={errorOf('stages')}
        onChange={(changed) => set({ stage: changed })}
      />
      <Select
        name="second"
        label={text.secondType}
        value={second?.type ?? ''}
        options={[{ value: '', label: text.noSecond }, ...optionsOf(kinds)]}
        onChange={(type) => set({ second: type === '' ? null : { ...noStage, type: type as ReviewerKind } })}
      />
      {second !== null && (
        <StageFields
          name="second"
          values={second}
          error={errorOf('stages')}
          onChange={(changed) => set({ second: changed })}
        />
      )}
      <TextField
        name="startsAt"
        type="datetime-local"
        label={text.startsAt}
        hint={text.startsHint}
        required
        value={values.startsAt}
        onChange={(startsAt) => set({ startsAt })}
        error={errorOf('schedule')}
      />
      <TextField
        name="durationDays"
        type="number"
        label={text.durationDays}
        required
        value={values.durationDays}
        onChange={(durationDays) => set({ durationDays })}
      />
      <Select
        name="repeat"
        label={text.repeat}
        value={values.repeat}
        options={optionsOf(repeats)}
        onChange={(repeat) => set({ repeat: repeat as ReviewValues['repeat'] })}
      />
      <Select
        name="justification"
        label={text.justification}
        value={settings.justificationRequired}
        options={optionsOf(justifications)}
        onChange={(value) => setting({ justificationRequired: value as Settings['justificationRequired'] })}
      />
      <Select
        name="onNoResponse"
        label={text.onNoResponse}
        value={settings.onNoResponse}
        options={optionsOf(silences)}
        onChange={(value) => setting({ onNoResponse: value as Settings['onNoResponse'] })}
      />
      <TextField
        name="reminders"
        label={text.reminders}
        hint={text.remindersHint}
        value={values.reminders}
        onChange={(reminders) => set({ reminders })}
        error={errorOf('settings')}
      />
      <TextField
        name="inactiveDays"
        type="number"
        label={text.inactiveDays}
        value={values.inactiveDays}
        onChange={(inactiveDays) => set({ inactiveDays })}
      />
      <Checkbox
        label={text.selfReview}
        checked={settings.selfReview}
        onChange={(selfReview) => setting({ selfReview })}
      />
      <Checkbox
        label={text.bulk}
        checked={settings.bulkDecisions}
        onChange={(bulkDecisions) => setting({ bulkDecisions })}
      />
      <Checkbox
        label={text.autoApply}
        checked={settings.autoApply}
        onChange={(autoApply) => setting({ autoApply })}
      />
    </>
  )
}
