/** Deciding access requests, alone or with others. */
import type { RecordAction } from '../kit/record-action.ts'
import type { AccessRequestRecord } from '../records.ts'
import { useSession } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { accessRequestTexts } from './access-requests-texts.ts'

type Decision = 'approve' | 'deny'

export const useDecisions = (): Readonly<Record<Decision, RecordAction<AccessRequestRecord>>> => {
  const text = useTexts(accessRequestTexts)
  const { id: ownId } = useSession()
  const of = (decision: Decision): RecordAction<AccessRequestRecord> => ({
    label: text[decision],
    applies: ({ status, eligibleApprovers }) =>
      status === 'pending' && eligibleApprovers.some(({ id }) => id === ownId),
    dangerous: decision === 'deny',
    effect: decision === 'approve' ? text.approveEffect : text.denyEffect,
    input: {
      name: 'comment',
      label: text.comment,
      hint: text.commentHint,
      ...(decision === 'deny' ? { needed: text.needsComment } : {}),
    },
    command: ({ id }, comment) => ({
      method: 'POST',
      path: `/access-requests/${id}/${decision}`,
      body: comment === '' ? {} : { comment },
    }),
  })
  return { approve: of('approve'), deny: of('deny') }
}
