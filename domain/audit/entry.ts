/** Creates audit entries from recorded events and the names that their parties had at that time. */
import type { AuditOutcome } from '../catalogue-row.ts'
import { rowOf, type EventMetadata, type Recorded } from '../catalogue.ts'
import type { Change } from '../changes.ts'
import type { Instant } from '../time.ts'
import { changesOfEvent } from './changes.ts'
import { asScimAction } from './scim-actions.ts'

/** The parties of an event, whose names the entry contains. */
export interface Parties {
  readonly actorId: string | null
  readonly targetId: string
  /** The other party of an event: the user of a membership, the group of an assignment. */
  readonly otherId: string | null
}

/** Names of the parties at the time of the event; null if there is none. */
export interface PartyNames {
  readonly actor: string | null
  readonly target: string | null
  readonly other: string | null
}

export interface AuditEntry {
  /** RFC 3339 with microseconds and `Z`. */
  readonly time: Instant
  /** Null for actions of the service itself. */
  readonly actorId: string | null
  readonly actorType: EventMetadata['actorType']
  readonly actorName: string | null
  readonly credential: { readonly type: string; readonly id: string | null }
  readonly action: string
  readonly summary: string
  readonly targetType: string
  readonly targetId: string
  readonly target: string
  /** The other party of a change: the user of a membership, the group of an assignment. */
  readonly otherId: string | null
  readonly other: string | null
  readonly ip: string | null
  readonly userAgent: string | null
  readonly correlationId: string
  readonly causationId: string | null
  readonly changes: readonly Change[]
  readonly outcome: AuditOutcome
}

/** The name shown for an erased user, and for everything that was named after them. */
export const ERASED_NAME = 'Erased user'

type Data = Record<string, unknown>

const rowFor = ({ type }: Recorded) => rowOf(type)
const dataOf = ({ data }: Recorded): Data => ({ ...data })

/** The audit action of an event; null if another event of the same command represents it. */
export const auditActionOf = (event: Recorded): string | null => {
  const { audit } = rowFor(event)
  const action = typeof audit === 'function' ? audit(dataOf(event)) : audit
  return action !== null && event.metadata.actorType === 'scim' ? asScimAction(action) : action
}

export const targetOf = (event: Recorded): { readonly type: string; readonly id: string } =>
  rowFor(event).target(dataOf(event))

/** The user whom the event is about, in addition to the actor. */
export const subjectOf = (event: Recorded): string | null => rowFor(event).subject(dataOf(event))

/** The fields that can name the other party, in order of priority. */
const named = ['groupId', 'apiResourceId', 'userId', 'applicationId', 'serviceAccountId'] as const

/** The other party of an event: the first party in its data that is not its target. */
const otherOf = (data: Data, targetId: string): string | null =>
  named.map((field) => data[field]).find((id): id is string => typeof id === 'string' && id !== targetId) ??
  null

export const partiesOf = (event: Recorded): Parties => {
  const targetId = targetOf(event).id
  return { actorId: event.metadata.actorId, targetId, otherId: otherOf(dataOf(event), targetId) }
}

const outcomeOf = (event: Recorded): AuditOutcome => {
  const { outcome = 'success' } = rowFor(event)
  return typeof outcome === 'function' ? outcome(dataOf(event)) : outcome
}

/**
 * Creates the entry of an event whose action is not null. Omits the personal data of an erased user: name,
 * changes and address.
 */
export const entryOf = (event: Recorded, action: string, names: PartyNames): AuditEntry => {
  const { metadata } = event
  const { type: targetType, id: targetId } = targetOf(event)
  const target = names.target ?? targetId
  const otherId = otherOf(dataOf(event), targetId)
  return {
    time: metadata.time,
    actorId: metadata.actorId,
    actorType: metadata.actorType,
    actorName: names.actor,
    credential: metadata.credential ?? { type: 'none', id: null },
    action,
    summary: rowFor(event).summary(dataOf(event), { target, other: names.other ?? 'somebody' }),
    targetType,
    targetId,
    target,
    otherId,
    other: otherId === null ? null : names.other,
    ip: metadata.ip,
    userAgent: metadata.userAgent ?? null,
    correlationId: metadata.correlationId,
    causationId: metadata.causationId,
    changes: changesOfEvent(event),
    outcome: outcomeOf(event),
  }
}
