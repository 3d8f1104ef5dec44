import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, prefixPattern, resumeAfter, type ChronologicalPage, type Parameters } from './page.ts'

/** A row of the audit trail, still encrypted, with the names of its parties at the time of the entry. */
export interface AuditRow {
  readonly id: Id<'auditEvent'>
  readonly position: string
  readonly action: string
  /** The stored event in canonical JSON */
  readonly leaf: string
  readonly actorName: string | null
  readonly targetName: string | null
  readonly otherName: string | null
}

export interface AuditFilters {
  /** An action or a family of actions: `user.*` */
  readonly action?: string | undefined
  readonly actorId?: string | undefined
  readonly targetType?: string | undefined
  readonly targetId?: string | undefined
  readonly correlationId?: string | undefined
  /** Prefix of a party's current or an earlier name */
  readonly q?: string | undefined
  /** The user whom the entry is about, as its target or otherwise */
  readonly personId?: string | undefined
  readonly from?: Instant | undefined
  /** End time (exclusive) */
  readonly to?: Instant | undefined
}

const nameOf = (id: string): string =>
  `(select n.name from audit_names n where n.id = e.${id} and n.from_position <= e.position
    order by n.from_position desc limit 1)`

const COLUMNS = `e.id, e.position, e.action, e.leaf, ${nameOf('actor_id')} as "actorName",
  ${nameOf('target_id')} as "targetName", ${nameOf('other_id')} as "otherName"`

/** The correlation id in the stored event; must be written exactly like the index on it. */
const CORRELATION = `substring(e.leaf from '"correlationId":"([^"]*)"')`

const called = (pattern: string): string => {
  const ids = `any(array(select n.id from audit_names n where lower(n.name) collate "C" like lower(${pattern})))`
  return `(e.actor_id = ${ids} or e.target_id = ${ids} or e.other_id = ${ids})`
}

const conditionsOf = (filters: AuditFilters, add: Parameters['add']): readonly string[] => {
  const { action, actorId, targetType, targetId, correlationId, q, personId, from, to } = filters
  const family = action?.endsWith('*') === true ? action.slice(0, -1) : null
  const person = personId === undefined ? '' : add(personId)
  return [
    ...(family !== null
      ? [`e.action like ${add(prefixPattern(family))}`]
      : action === undefined
        ? []
        : [`e.action = ${add(action)}`]),
    ...(actorId === undefined ? [] : [`e.actor_id = ${add(actorId)}`]),
    ...(targetType === undefined ? [] : [`e.target_type = ${add(targetType)}`]),
    ...(targetId === undefined ? [] : [`e.target_id = ${add(targetId)}`]),
    ...(correlationId === undefined ? [] : [`${CORRELATION} = ${add(correlationId)}`]),
    ...(q === undefined ? [] : [called(add(prefixPattern(q)))]),
    ...(personId === undefined ? [] : [`(e.target_id = ${person} or e.subject_id = ${person})`]),
    ...(from === undefined ? [] : [`e.time >= ${add(from)}`]),
    ...(to === undefined ? [] : [`e.time < ${add(to)}`]),
  ]
}

/** Returns entries in log order: an event that was recorded late comes late, whatever its time. */
export const listAudit = async (
  pool: pg.Pool | pg.ClientBase,
  filters: AuditFilters,
  { limit, order, after, upTo }: ChronologicalPage,
): Promise<readonly AuditRow[]> => {
  const { add, values } = parameters()
  const conditions = [
    ...conditionsOf(filters, add),
    ...(after === undefined ? [] : [`e.position ${order === 'newest' ? '<' : '>'} ${add(after)}`]),
    ...(upTo === undefined ? [] : [`e.position <= ${add(upTo)}`]),
  ]
  const { rows } = await pool.query<AuditRow>(
    `select ${COLUMNS} from audit_events e
     ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
     order by e.position ${order === 'newest' ? 'desc' : 'asc'} limit ${add(limit)}`,
    values,
  )
  return rows
}

export const findAudit = async (pool: pg.Pool, id: string): Promise<AuditRow | null> => {
  const { rows } = await pool.query<AuditRow>(`select ${COLUMNS} from audit_events e where e.id = $1`, [id])
  return rows[0] ?? null
}

/** Returns where to continue after an entry. */
export const resumeAudit = resumeAfter('audit_events', 'time')

/** Deletes entries of a retention class whose events are no longer in the log. */
export const clearAudit = async (pool: pg.Pool, kept: string, before: Date): Promise<void> => {
  await pool.query('delete from audit_events where kept = $1 and time < $2', [kept, before])
}
