/** The reviewers of a stage, in forms. */
import { Select } from '../kit/field.tsx'
import { RecordsField, type NamedRecord } from '../kit/records-field.tsx'
import type { AccessReviewRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { accessReviewTexts, reviewerTypeNames } from './access-reviews-texts.ts'

type Stage = AccessReviewRecord['stages'][number]
export type ReviewerKind = Stage['type']

export interface StageValues {
  readonly type: ReviewerKind
  readonly reviewers: readonly NamedRecord[]
  readonly fallback: readonly NamedRecord[]
}

export const noStage: StageValues = { type: 'manager', reviewers: [], fallback: [] }

/** @param names of users and groups, by id */
export const stageValuesOf = (
  { type, ids, fallbackIds }: Stage,
  names: Readonly<Record<string, string>>,
): StageValues => {
  const named = (some: readonly string[]) => some.map((id) => ({ id, name: names[id] ?? id }))
  return { type, reviewers: named(ids), fallback: named(fallbackIds) }
}

const idsOf = (records: readonly NamedRecord[]): readonly string[] => records.map(({ id }) => id)

/** Returns what is sent of a stage. */
export const stageBody = ({ type, reviewers, fallback }: StageValues) => ({
  type,
  ids: type === 'users' || type === 'groups' ? idsOf(reviewers) : [],
  fallbackIds: idsOf(fallback),
})

interface StageProps {
  readonly values: StageValues
  readonly name: string
  readonly error: string | null
  readonly onChange: (values: StageValues) => void
}

/** The kind of reviewers and, where it needs them, who they are; without users who review themselves. */
export const ReviewersFields = ({ values, ...props }: StageProps) => {
  const text = useTexts(accessReviewTexts)
  const { self: _, ...kinds } = useTexts(reviewerTypeNames)
  return (
    <>
      <Select
        name={props.name}
        label={text.reviewerType}
        value={values.type}
        options={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        onChange={(type) => props.onChange({ ...values, type: type as ReviewerKind, reviewers: [] })}
      />
      <StageFields values={values} {...props} />
    </>
  )
}

/** Who reviews in a stage. */
export const StageFields = ({
  values: { type, reviewers, fallback },
  values,
  name,
  error,
  onChange,
}: {
  readonly values: StageValues
  readonly name: string
  readonly error: string | null
  readonly onChange: (values: StageValues) => void
}) => {
  const text = useTexts(accessReviewTexts)
  return (
    <>
      {(type === 'users' || type === 'groups') && (
        <RecordsField
          name={`${name}-reviewers`}
          label={text.reviewers}
          none={text.noneFound}
          path={type === 'users' ? '/users' : '/groups'}
          chosen={reviewers}
          error={error}
          onChange={(chosen) => onChange({ ...values, reviewers: chosen })}
        />
      )}
      <RecordsField
        name={`${name}-fallback`}
        label={text.fallback}
        none={text.noneFound}
        path="/users"
        chosen={fallback}
        onChange={(chosen) => onChange({ ...values, fallback: chosen })}
      />
    </>
  )
}
