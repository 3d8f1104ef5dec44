import { useState } from 'react'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Picker } from '../kit/picker.tsx'
import { Time } from '../kit/time.tsx'
import type { AccessReviewItemRecord, AccessReviewRecord, ListedUserRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import {
  accessReviewTexts,
  itemDecisionNames,
  recommendationNames,
  recommendationReasonNames,
  reviewViaNames,
  applyStatusNames,
} from './access-reviews-texts.ts'

const tones: Readonly<Record<AccessReviewItemRecord['decision'], Tone>> = {
  pending: 'warn',
  approved: 'good',
  revoked: 'bad',
  abstained: 'neutral',
}

/** The items of a review, with why the access is there and what was decided. */
export const ReviewItems = ({
  review,
  mayReassign,
}: {
  readonly review: AccessReviewRecord
  readonly mayReassign: boolean
}) => {
  const text = useTexts(accessReviewTexts)
  const common = useTexts(commonTexts)
  const decisionNames = useTexts(itemDecisionNames)
  const recommendations = useTexts(recommendationNames)
  const reasons = useTexts(recommendationReasonNames)
  const vias = useTexts(reviewViaNames)
  const outcomes = useTexts(applyStatusNames)
  const [chosen, setChosen] = useState<AccessReviewItemRecord | null>(null)
  const options = (names: Readonly<Record<string, string>>) =>
    Object.entries(names)
      .filter(([, label]) => label !== '')
      .map(([value, label]) => ({ value, label }))
  const whyOf = ({ accessVia }: AccessReviewItemRecord): string =>
    accessVia
      .map(({ via, groupName = '' }) => (via === 'direct' ? '' : `${groupName} (${vias[via]})`))
      .filter((each) => each !== '')
      .join('; ')
  const decidedBy = ({ decisions, reviewers }: AccessReviewItemRecord): string => {
    const last = decisions.at(-1)
    if (last === undefined) return reviewers.map(({ name }) => name).join(', ')
    return last.reviewerName ?? text.nobody
  }
  const columns: readonly Column<AccessReviewItemRecord>[] = [
    {
      name: 'user',
      label: text.user,
      cell: ({ userId, userName }) => <PageLink to={`/console/users/${userId}`}>{userName}</PageLink>,
      text: ({ userName }) => userName,
    },
    {
      name: 'access',
      label: text.access,
      cell: ({ resource }) => resource.name,
      text: ({ resource }) => resource.name,
    },
    { name: 'why', label: text.why, cell: whyOf, text: whyOf },
    {
      name: 'used',
      label: text.used,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : <Time value={lastUsedAt} relative />),
      text: ({ lastUsedAt }) => lastUsedAt ?? '',
    },
    {
      name: 'recommendation',
      label: text.recommendation,
      cell: ({ recommendation, recommendationReason }) =>
        `${recommendations[recommendation]} (${reasons[recommendationReason]})`,
      text: ({ recommendation }) => recommendations[recommendation],
    },
    {
      name: 'decision',
      label: text.decision,
      cell: ({ decision, decisions }) => (
        <span>
          <Badge tone={tones[decision]}>{decisionNames[decision]}</Badge> {decisions.at(-1)?.justification}
        </span>
      ),
      text: ({ decision }) => decisionNames[decision],
    },
    { name: 'by', label: text.by, cell: decidedBy, text: decidedBy },
    {
      name: 'outcome',
      label: text.outcome,
      cell: (item) => (
        <span>
          {outcomes[item.applyStatus]} {item.applyError}
          {mayReassign && item.decision === 'pending' && (
            <Button small onClick={() => setChosen(item)}>
              {text.reassign}
            </Button>
          )}
        </span>
      ),
      text: ({ applyStatus, applyError }) => `${outcomes[applyStatus]} ${applyError ?? ''}`.trim(),
    },
  ]
  return (
    <>
      <RecordList<AccessReviewItemRecord>
        path={`/access-reviews/${review.id}/items`}
        label={text.items}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ userName, resource }) => `${userName}: ${resource.name}`}
        empty={text.noItems}
        filters={[
          { name: 'q', label: common.search },
          { name: 'decision', label: text.decision, options: options(decisionNames) },
          { name: 'recommendation', label: text.recommendation, options: options(recommendations) },
          { name: 'applyStatus', label: text.outcome, options: options(outcomes) },
        ]}
      />
      {chosen !== null && (
        <Picker<ListedUserRecord>
          title={`${text.reassign}: ${chosen.userName}`}
          intro={text.reassignIntro}
          path="/users"
          query={{ status: 'active' }}
          detail={({ email }) => email}
          empty={text.noUsers}
          pick={text.pick}
          command={(user) => ({
            method: 'POST',
            path: `/access-reviews/${review.id}/items/${chosen.id}/reassign`,
            body: { reviewerId: user.id },
          })}
          done={({ name }) => text.reassigned(name)}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  )
}
