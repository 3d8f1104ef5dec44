import { auditActionOf, partiesOf, subjectOf, targetOf } from '../../domain/audit/entry.ts'
import { catalogue, rowOf, type EventType, type Recorded } from '../../domain/catalogue.ts'
import { retentionOf } from '../../domain/retention.ts'
import { auditIdFor } from '../audit-id.ts'
import type { Reaction, Table } from '../table.ts'

const categoryOf = (stream: string): string => stream.split('-', 1)[0] ?? stream

const entry: Reaction<Recorded> = {
  apply: (event, rows) => {
    const action = auditActionOf(event)
    if (action === null) return
    if (event.leaf === undefined) throw new Error('an audit entry is made of the stored event')
    const { actorId, targetId, otherId } = partiesOf(event)
    rows.put({
      id: auditIdFor(event),
      position: event.position,
      time: event.metadata.time,
      action,
      actor_id: actorId,
      target_type: targetOf(event).type,
      target_id: targetId,
      other_id: otherId,
      subject_id: subjectOf(event),
      kept: retentionOf(categoryOf(event.stream)),
      leaf: event.leaf,
    })
  },
}

const audited = (Object.keys(catalogue) as EventType[]).filter((type) => rowOf(type).audit !== null)

/** One row for every event with an audit action, as stored. */
export const auditEvents: Table = {
  name: 'audit_events',
  key: ['id'],
  retention: { class: 'sign_in', age: 'time', of: `kept <> 'permanent'` },
  on: Object.fromEntries(audited.map((type) => [type, entry])),
}
