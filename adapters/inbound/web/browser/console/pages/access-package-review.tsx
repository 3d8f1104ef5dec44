/** The regular reviews of an access package, in its form. */
import type { FieldError } from '../kit/command-dialog.tsx'
import { TextField } from '../kit/field.tsx'
import type { AccessPackageRecord } from '../records.ts'
import { usePackageTexts } from './access-packages-texts.ts'
import {
  noStage,
  ReviewersFields,
  stageBody,
  stageValuesOf,
  type StageValues,
} from './access-review-stage.tsx'

export interface PackageReviewValues {
  /** As typed; empty for no reviews */
  readonly everyDays: string
  readonly reviewers: StageValues
}

export const noPackageReview: PackageReviewValues = {
  everyDays: '',
  reviewers: { ...noStage, type: 'owners' },
}

export const packageReviewValuesOf = ({
  review,
  names,
}: Pick<AccessPackageRecord, 'review' | 'names'>): PackageReviewValues =>
  review === null
    ? noPackageReview
    : { everyDays: String(review.everyDays), reviewers: stageValuesOf(review.reviewers, names) }

/** Returns what is sent. */
export const packageReviewBody = ({ everyDays, reviewers }: PackageReviewValues) =>
  everyDays.trim() === '' ? null : { everyDays: Number(everyDays), reviewers: stageBody(reviewers) }

export const PackageReviewFields = ({
  values,
  onChange,
  errorOf,
}: {
  readonly values: PackageReviewValues
  readonly onChange: (values: PackageReviewValues) => void
  readonly errorOf: FieldError
}) => {
  const text = usePackageTexts()
  return (
    <>
      <TextField
        name="review-days"
        type="number"
        label={text.reviewEvery}
        hint={text.reviewHint}
        value={values.everyDays}
        onChange={(everyDays) => onChange({ ...values, everyDays })}
        error={errorOf('review')}
      />
      {values.everyDays.trim() !== '' && (
        <ReviewersFields
          name="review-reviewers"
          values={values.reviewers}
          error={errorOf('review')}
          onChange={(reviewers) => onChange({ ...values, reviewers })}
        />
      )}
    </>
  )
}
