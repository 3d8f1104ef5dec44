import type { ApprovalStage } from '../../domain/access-package/events.ts'
import { reminderAt } from '../../domain/access-request/decider.ts'
import type { AccessRequestEvent } from '../../domain/access-request/events.ts'
import type { EventOf, Recorded } from '../../domain/catalogue.ts'
import type { Row } from '../rows.ts'
import { change, type Reaction, type Table } from '../table.ts'

type RequestEvent = Recorded<AccessRequestEvent>

const self = (event: { data: { requestId: string } }) => ({ id: event.data.requestId })
const stamp = (event: RequestEvent) => ({ updated_at: event.metadata.time, version: event.revision + 1 })

interface Decision {
  readonly approverId: string | null
  readonly decision: 'approve' | 'deny'
  readonly comment: string | null
  readonly at: string
  readonly stage: number
}

const decisionsOf = (row: Row): readonly Decision[] => row['decisions'] as readonly Decision[]

const decided = <
  Event extends RequestEvent & {
    readonly data: { readonly stage: number; readonly approverId: string | null; readonly comment?: string }
  },
>(
  decision: Decision['decision'],
  isLast: (event: Event) => boolean,
  status: string,
): Reaction<Event> => ({
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    const { approverId, stage, comment = null } = event.data
    const at = event.metadata.time
    for (const row of rows.find(self(event)))
      rows.put({
        ...row,
        decisions: [...decisionsOf(row), { approverId, decision, comment, at, stage }],
        ...(isLast(event) ? { status, decided_at: at } : {}),
        ...stamp(event),
      })
  },
})

const asked = <
  Event extends RequestEvent & {
    readonly data: Pick<
      EventOf<'access_request.stage_opened'>['data'],
      'stage' | 'approverIds' | 'origin' | 'expiresAt'
    >
  },
>(
  hasNewDeadline: (event: Event, row: Row) => boolean,
): Reaction<Event> => ({
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    const { stage, approverIds, origin, expiresAt } = event.data
    for (const row of rows.find(self(event))) {
      const current = (row['stages'] as readonly ApprovalStage[])[stage - 1]
      const reminder = current === undefined ? null : reminderAt(current, expiresAt)
      rows.put({
        ...row,
        ...{ stage, approver_ids: approverIds, approver_origin: origin, expires_at: expiresAt },
        ...(hasNewDeadline(event, row) ? { reminder_at: reminder } : {}),
        ...stamp(event),
      })
    }
  },
})

/** Requests for access packages, with their decisions. */
export const accessRequests: Table = {
  name: 'access_requests',
  key: ['id'],
  on: {
    'access_request.created': {
      apply: (event, rows) => {
        const { data, metadata, position } = event
        // Missing after the erasure of the user.
        const personal = data as Partial<Pick<typeof data, 'justification' | 'answers'>>
        rows.put({
          ...self(event),
          package_id: data.packageId,
          package_name: data.packageName,
          requester_id: data.requesterId,
          for_user_id: data.userId,
          type: data.requestType,
          status: 'pending',
          justification: personal.justification ?? null,
          answers: personal.answers ?? {},
          requested_duration: data.requestedDuration ?? null,
          starts_at: data.startsAt ?? null,
          stages: data.stages,
          stage: 0,
          approver_ids: [],
          approver_origin: null,
          decisions: [],
          expires_at: null,
          reminder_at: null,
          decided_at: null,
          assignment_id: data.assignmentId ?? null,
          error: null,
          created_at: metadata.time,
          created_position: position,
          ...stamp(event),
        })
      },
    },
    'access_request.stage_opened': asked(() => true),
    // Other approvers of the same deadline are reminded at the same time; an escalation has a deadline of its own.
    'access_request.approvers_changed': asked(({ data }, row) => row['expires_at'] !== data.expiresAt),
    'access_request.reminded': change(self, (event) => ({ reminder_at: null, ...stamp(event) })),
    'access_request.approved': decided('approve', ({ data }) => data.final, 'approved'),
    'access_request.denied': decided('deny', () => true, 'denied'),
    'access_request.cancelled': change(self, (event) => ({ status: 'cancelled', ...stamp(event) })),
    'access_request.expired': change(self, (event) => ({ status: 'expired', ...stamp(event) })),
    'access_request.scheduled': change(self, (event) => ({
      status: 'scheduled',
      assignment_id: event.data.assignmentId,
      ...stamp(event),
    })),
    'access_request.delivered': change(self, (event) => ({
      status: 'delivered',
      assignment_id: event.data.assignmentId,
      error: null,
      ...stamp(event),
    })),
    'access_request.failed': change(self, (event) => ({
      status: 'failed',
      error: event.data.error,
      ...stamp(event),
    })),
    'access_request.retried': change(self, (event) => ({ status: 'approved', error: null, ...stamp(event) })),
    // Keeps what a replay produces without the key.
    'user.erased': {
      reads: ({ data }) => [{ for_user_id: data.userId }],
      apply: (event, rows) => {
        for (const row of rows.find({ for_user_id: event.data.userId }))
          rows.put({
            ...row,
            justification: null,
            answers: {},
            decisions: decisionsOf(row).map((decision) => ({ ...decision, comment: null })),
          })
      },
    },
  },
}
