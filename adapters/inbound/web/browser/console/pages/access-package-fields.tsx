/** The form of an access package. */
import type { FieldError } from '../kit/command-dialog.tsx'
import { Button } from '../kit/button.tsx'
import { Checkbox, Select, TextArea, TextField } from '../kit/field.tsx'
import styles from '../kit/kit.module.css'
import { RecordsField, type NamedRecord } from '../kit/records-field.tsx'
import { SearchSelect } from '../kit/search-select.tsx'
import type { AccessPackageRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import {
  questionsBody,
  questionValuesOf,
  QuestionFields,
  type QuestionValues,
} from './access-package-questions.tsx'
import {
  noPackageReview,
  packageReviewBody,
  PackageReviewFields,
  packageReviewValuesOf,
  type PackageReviewValues,
} from './access-package-review.tsx'
import { approverTypeNames, modeNames, usePackageTexts } from './access-packages-texts.ts'

type Stage = AccessPackageRecord['approval']['stages'][number]

/** A stage in the form: records instead of ids, the number as typed. */
interface StageValues {
  /** For the list of the form only */
  readonly key: string
  readonly type: Stage['approvers']['type']
  readonly chosen: readonly NamedRecord[]
  readonly mode: Stage['mode']
  readonly hours: string
  readonly escalateTo: NamedRecord | null
  readonly justificationRequired: boolean
}

export interface PackageValues {
  readonly name: string
  readonly description: string
  readonly groups: readonly NamedRecord[]
  readonly requestable: boolean
  readonly requesterGroups: readonly NamedRecord[] | null
  readonly justification: boolean
  readonly stages: readonly StageValues[]
  readonly questions: readonly QuestionValues[]
  readonly usual: string
  readonly max: string
  readonly mayChoose: boolean
  readonly incompatible: readonly NamedRecord[]
  readonly owners: readonly NamedRecord[]
  readonly review: PackageReviewValues
}

export const noPackage: PackageValues = {
  ...{ name: '', description: '', groups: [], requestable: true, requesterGroups: null, justification: true },
  ...{ stages: [], questions: [], usual: 'P90D', max: '', mayChoose: false, incompatible: [], owners: [] },
  review: noPackageReview,
}

export const packageFieldNames = [
  'name',
  'description',
  'grants',
  'requesters',
  'approval',
  'duration',
  'incompatiblePackageIds',
  'ownerIds',
  'questions',
  'review',
] as const

const nameless = (records: readonly { readonly id: string; readonly name: string | null }[]) =>
  records.map(({ id, name }) => ({ id, name: name ?? id }))

export const packageValuesOf = (one: AccessPackageRecord): PackageValues => {
  const nameOf = (id: string): string => one.names[id] ?? id
  const named = (ids: readonly string[]) => ids.map((id) => ({ id, name: nameOf(id) }))
  return {
    name: one.name,
    description: one.description ?? '',
    groups: nameless(one.groups),
    requestable: one.requestable,
    requesterGroups: one.requesters.scope === 'everyone' ? null : named(one.requesters.groupIds),
    justification: one.requesterJustificationRequired,
    stages: one.approval.stages.map((stage) => ({
      key: crypto.randomUUID(),
      type: stage.approvers.type,
      chosen: named(stage.approvers.ids),
      mode: stage.mode,
      hours: String(stage.timeoutHours),
      escalateTo:
        stage.escalateTo === undefined ? null : { id: stage.escalateTo, name: nameOf(stage.escalateTo) },
      justificationRequired: stage.justificationRequired,
    })),
    questions: questionValuesOf(one.questions),
    usual: one.duration?.default ?? '',
    max: one.duration?.max ?? '',
    mayChoose: one.duration?.requesterMayChoose ?? false,
    incompatible: nameless(one.incompatiblePackages),
    owners: nameless(one.owners),
    review: packageReviewValuesOf(one),
  }
}

const idsOf = (records: readonly NamedRecord[]): readonly string[] => records.map(({ id }) => id)

/** Returns what is sent. */
export const packageBody = (values: PackageValues) => {
  const { name, description, groups, requestable, requesterGroups, stages, usual, max, mayChoose } = values
  const settings = {
    ...(usual.trim() === '' ? {} : { default: usual.trim() }),
    ...(max.trim() === '' ? {} : { max: max.trim() }),
    requesterMayChoose: mayChoose,
  }
  return {
    name: name.trim(),
    description: description.trim() === '' ? null : description.trim(),
    grants: groups.map(({ id }) => ({ type: 'group', groupId: id })),
    requestable,
    requesters:
      requesterGroups === null
        ? { scope: 'everyone', groupIds: [] }
        : { scope: 'groups', groupIds: idsOf(requesterGroups) },
    requesterJustificationRequired: values.justification,
    approval: {
      required: stages.length > 0,
      stages: stages.map(({ type, chosen, mode, hours, escalateTo, justificationRequired }) => ({
        approvers: { type, ids: type === 'users' || type === 'groups' ? idsOf(chosen) : [] },
        mode,
        timeoutHours: Number(hours),
        ...(escalateTo === null ? {} : { escalateTo: escalateTo.id }),
        justificationRequired,
      })),
    },
    duration: usual.trim() === '' && max.trim() === '' && !mayChoose ? null : settings,
    questions: questionsBody(values.questions),
    incompatiblePackageIds: idsOf(values.incompatible),
    ownerIds: idsOf(values.owners),
    review: packageReviewBody(values.review),
  }
}

const MOST_STAGES = 3
const newStage = (): StageValues => ({
  ...{ key: crypto.randomUUID(), type: 'manager', chosen: [], mode: 'any', hours: '336' },
  ...{ escalateTo: null, justificationRequired: false },
})

const StageFields = ({
  number,
  stage,
  onChange,
  onRemove,
}: {
  readonly number: number
  readonly stage: StageValues
  readonly onChange: (stage: StageValues) => void
  readonly onRemove: () => void
}) => {
  const text = usePackageTexts()
  const types = useTexts(approverTypeNames)
  const modes = useTexts(modeNames)
  const name = `stage-${String(number)}`
  const { type, chosen } = stage
  return (
    <fieldset className={styles['choices']}>
      <legend>{text.stage(String(number))}</legend>
      <Select
        name={`${name}-approvers`}
        label={text.approvers}
        value={type}
        options={Object.entries(types).map(([value, label]) => ({ value, label }))}
        onChange={(value) => onChange({ ...stage, type: value as StageValues['type'], chosen: [] })}
      />
      {(type === 'users' || type === 'groups') && (
        <RecordsField
          key={type}
          name={name}
          label={type === 'users' ? text.users : text.groups}
          none={type === 'users' ? text.noUsers : text.noGroups}
          path={`/${type}`}
          chosen={chosen}
          onChange={(records) => onChange({ ...stage, chosen: records })}
        />
      )}
      <Select
        name={`${name}-mode`}
        label={text.stages}
        value={stage.mode}
        options={Object.entries(modes).map(([value, label]) => ({ value, label }))}
        onChange={(mode) => onChange({ ...stage, mode: mode as StageValues['mode'] })}
      />
      <TextField
        name={`${name}-hours`}
        type="number"
        label={text.hours}
        value={stage.hours}
        onChange={(hours) => onChange({ ...stage, hours })}
      />
      <SearchSelect
        name={`${name}-escalate`}
        label={text.escalate}
        path="/users"
        none={text.escalateNone}
        value={stage.escalateTo}
        onChange={(escalateTo) => onChange({ ...stage, escalateTo })}
      />
      <Checkbox
        label={text.comment}
        checked={stage.justificationRequired}
        onChange={(justificationRequired) => onChange({ ...stage, justificationRequired })}
      />
      <Button small look="danger" onClick={onRemove}>
        {text.removeStage(String(number))}
      </Button>
    </fieldset>
  )
}

export const PackageFields = ({
  values,
  onChange,
  errorOf,
}: {
  readonly values: PackageValues
  readonly onChange: (values: PackageValues) => void
  readonly errorOf: FieldError
}) => {
  const text = usePackageTexts()
  const { stages, requesterGroups } = values
  const set = (change: Partial<PackageValues>): void => onChange({ ...values, ...change })
  return (
    <>
      <TextField
        name="name"
        label={text.name}
        value={values.name}
        onChange={(name) => set({ name })}
        error={errorOf('name')}
        required
        autoFocus
      />
      <TextArea
        name="description"
        label={text.description}
        rows={2}
        value={values.description}
        onChange={(description) => set({ description })}
        error={errorOf('description')}
      />
      <RecordsField
        name="grants"
        label={text.groups}
        hint={text.groupsHint}
        none={text.noGroups}
        path="/groups"
        chosen={values.groups}
        error={errorOf('grants')}
        onChange={(groups) => set({ groups })}
      />
      <Checkbox
        label={text.requestable}
        checked={values.requestable}
        onChange={(requestable) => set({ requestable })}
      />
      <Select
        name="requesters"
        label={text.requesters}
        value={requesterGroups === null ? 'everyone' : 'groups'}
        options={[
          { value: 'everyone', label: text.everyone },
          { value: 'groups', label: text.onlyGroups },
        ]}
        onChange={(scope) => set({ requesterGroups: scope === 'everyone' ? null : [] })}
      />
      {requesterGroups !== null && (
        <RecordsField
          name="requester-groups"
          label={text.requesterGroups}
          none={text.noGroups}
          path="/groups"
          chosen={requesterGroups}
          error={errorOf('requesters')}
          onChange={(groups) => set({ requesterGroups: groups })}
        />
      )}
      <Checkbox
        label={text.justification}
        checked={values.justification}
        onChange={(justification) => set({ justification })}
      />
      {stages.length === 0 && <p className="hint">{text.noApproval}</p>}
      {stages.map((stage, at) => (
        <StageFields
          key={stage.key}
          number={at + 1}
          stage={stage}
          onChange={(changed) =>
            set({ stages: stages.map((one) => (one.key === stage.key ? changed : one)) })
          }
          onRemove={() => set({ stages: stages.filter(({ key }) => key !== stage.key) })}
        />
      ))}
      {errorOf('approval') !== null && <p className="field-error">{errorOf('approval')}</p>}
      {stages.length < MOST_STAGES && (
        <Button small onClick={() => set({ stages: [...stages, newStage()] })}>
          {text.addStage}
        </Button>
      )}
      <QuestionFields
        questions={values.questions}
        errorOf={errorOf}
        onChange={(questions) => set({ questions })}
      />
      <TextField
        name="duration"
        label={text.usualDuration}
        hint={text.durationHint}
        value={values.usual}
        onChange={(usual) => set({ usual })}
        error={errorOf('duration')}
      />
      <TextField name="max" label={text.maxDuration} value={values.max} onChange={(max) => set({ max })} />
      <Checkbox
        label={text.mayChoose}
        checked={values.mayChoose}
        onChange={(mayChoose) => set({ mayChoose })}
      />
      <RecordsField
        name="incompatible"
        label={text.incompatible}
        hint={text.incompatibleHint}
        none={text.noPackages}
        path="/access-packages"
        chosen={values.incompatible}
        error={errorOf('incompatiblePackageIds')}
        onChange={(incompatible) => set({ incompatible })}
      />
      <RecordsField
        name="owners"
        label={text.owners}
        hint={text.ownersHint}
        none={text.noUsers}
        path="/users"
        chosen={values.owners}
        error={errorOf('ownerIds')}
        onChange={(owners) => set({ owners })}
      />
      <PackageReviewFields values={values.review} errorOf={errorOf} onChange={(review) => set({ review })} />
    </>
  )
}
