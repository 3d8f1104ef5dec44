/** The events to send: audit entries and sign-in events, in log order. */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { auditActionOf, partiesOf, subjectOf } from '../../../domain/audit/entry.ts'
import { isEventType, rowOf, type Recorded } from '../../../domain/catalogue.ts'
import { isId } from '../../../domain/ids.ts'
import type { SignInAttempt } from '../../../domain/sign-in/events.ts'
import { signInType } from '../../../domain/webhook/event-types.ts'
import { listAudit, type AuditRow } from '../../../read-models/queries/audit.ts'
import { auditEntries, type AuditEvent } from '../../engines/audit/entries.ts'
import type { EventLog } from '../../engines/event-log/event-log.ts'
import type { Serializer } from '../../engines/event-log/serializer.ts'
import { openedSource } from '../../engines/event-log/serializer.ts'
import type { Vault } from '../../engines/vault/vault.ts'
import type { OutboundEvent } from '../../application/services/outbound-source.ts'
import type { OutboundSource } from '../../application/services/outbound-source.ts'

/** Maximum number of events read from the log at a time. */
const PAGE = 500

/** How long an entry of the audit trail may take to appear, in milliseconds. */
const ENTRY_MS = 5000

const goesOut = (type: string): boolean =>
  type === 'sign_in.recorded' || (isEventType(type) && rowOf(type).audit !== null)

const ofAudit = (entry: AuditEvent, people: readonly string[]): OutboundEvent => {
  const { position, id, action, time, actorId, summary, targetType, targetId, target, ip } = entry
  return {
    position,
    id,
    type: action,
    time,
    data: { id, time, actorId, action, summary, targetType, targetId, target, ip },
    subjects: people,
  }
}

const ofSignIn = (attempt: SignInAttempt, { position, metadata }: Recorded): OutboundEvent => {
  const { signInId: id, userId, appId, result, method, risk, reason } = attempt
  const { time } = metadata
  // Personal fields of an erased user are missing, despite the types.
  const { email = null, ip = null, location = null, device = null } = attempt as Partial<SignInAttempt>
  return {
    position,
    id,
    type: signInType(result),
    time,
    data: { id, time, userId, email, appId, result, method, ip, location, device, risk, reason },
    subjects: userId === null ? [] : [userId],
  }
}

const peopleOf = (event: Recorded): readonly string[] => {
  const { actorId, targetId, otherId } = partiesOf(event)
  const named = [actorId, targetId, otherId, subjectOf(event)]
  return [...new Set(named.filter((id): id is string => id !== null && isId('user', id)))]
}

/** @param known the position of the read models of endpoints */
export const outboundSource = (deps: {
  readonly pool: pg.Pool
  readonly eventLog: EventLog
  readonly serializer: Serializer
  readonly vault: Vault
  readonly known: () => Promise<string>
}): OutboundSource => {
  const { pool, eventLog, serializer, vault, known } = deps
  const log = openedSource(eventLog, serializer, { wants: goesOut })
  const open = auditEntries(vault)

  const entriesAfter = async (after: string, upTo: string): Promise<ReadonlyMap<string, AuditEvent>> => {
    const rows = await listAudit(pool, {}, { limit: PAGE, order: 'oldest', after })
    const entries = await open(rows.filter(({ position }) => position <= upTo))
    return new Map(entries.map((entry) => [entry.position, entry]))
  }

  const outbound = (event: Recorded, entries: ReadonlyMap<string, AuditEvent>): OutboundEvent | null => {
    if (event.type === 'sign_in.recorded') return ofSignIn(event.data, event)
    const entry = entries.get(event.position)
    return entry === undefined ? null : ofAudit(entry, peopleOf(event))
  }

  return {
    known,

    page: async (after, upTo) => {
      const read = await log.read(after, PAGE)
      const whole = read.position <= upTo
      const reportable = read.events.filter(
        (event) =>
          event.position <= upTo && (event.type === 'sign_in.recorded' || auditActionOf(event) !== null),
      )
      const entries = await entriesAfter(after, upTo)
      const events: OutboundEvent[] = []
      for (const event of reportable) {
        const out = outbound(event, entries)
        // The audit trail has not caught up with the event, and no event may be skipped.
        if (out === null) return { events, position: events.at(-1)?.position ?? after, more: false }
        events.push(out)
      }
      return { events, position: whole ? read.position : upTo, more: whole && !read.caughtUp }
    },

    one: async (targetId, action, position) => {
      for (const end = performance.now() + ENTRY_MS; performance.now() < end; await delay(10)) {
        const rows: readonly AuditRow[] = await listAudit(
          pool,
          { targetId, action },
          { limit: 20, order: 'newest' },
        )
        const [entry] = await open(rows.filter((row) => row.position === position))
        if (entry !== undefined)
          return ofAudit(
            entry,
            [entry.actorId].filter((id) => id !== null),
          )
      }
      return null
    },
  }
}
