/**
 * Rows of an export that are not records of their own, as they were at a past time, in an order that never changes: two
 * exports of the same time have the same rows in the same places.
 */
import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { MembershipVia } from '../../domain/membership/events.ts'
import type { Instant } from '../../domain/time.ts'
import { listAudit, type AuditRow } from './audit.ts'
import { parameters } from './page.ts'
import { actorThen, expiryAt, heldAt, lasts, written, type Past } from './past.ts'
import { signInsInOrder, type SignInRow } from './sign-ins.ts'

/** One source of a membership. */
export interface ExportedMembership {
  readonly groupId: Id<'group'>
  readonly groupName: string
  readonly userId: Id<'user'>
  readonly userName: string
  readonly userEmail: string
  readonly userStatus: string
  readonly via: MembershipVia
  readonly sourceId: string | null
  readonly addedAt: Instant
  readonly addedBy: string | null
  readonly addedByName: string | null
  readonly auditEventId: string | null
  readonly expiresAt: Instant | null
}

/** The assignment of a group to an application. */
export interface ExportedAssignment {
  readonly applicationId: Id<'application'>
  readonly applicationName: string
  readonly applicationStatus: string
  readonly groupId: Id<'group'>
  readonly groupName: string
  readonly assignedAt: Instant
  readonly assignedBy: string | null
  readonly assignedByName: string | null
  readonly auditEventId: string | null
}

interface Placed {
  readonly position: string
}

/** Rows after this one follow. */
export type After<Keys extends readonly string[]> = Keys | null

/** Ordered by group, then user, then the start of the membership. */
export const membershipsThen = async (
  client: pg.ClientBase,
  past: Past,
  after: After<[string, string, string]>,
  limit: number,
): Promise<readonly (ExportedMembership & Placed)[]> => {
  const params = parameters()
  const { add, values } = params
  const { at, cut } = written(params, past)
  const page =
    after === null
      ? ''
      : `and (m.group_id, m.user_id, m.from_position) > (${add(after[0])}, ${add(after[1])}, ${add(after[2])} collate "C")`
  const { rows } = await client.query<ExportedMembership & Placed>(
    `select m.group_id as "groupId", g.name as "groupName", m.user_id as "userId", u.name as "userName",
       u.email as "userEmail", u.status as "userStatus", m.via, m.source_id as "sourceId", m.from_at as "addedAt",
       m.granted_by as "addedBy", (${actorThen('m.granted_by', 'm.from_position')}) ->> 'name' as "addedByName",
       m.audit_id as "auditEventId", ${expiryAt('m', cut)} as "expiresAt", m.from_position as position
     from memberships m
       join user_history u on u.user_id = m.user_id and ${lasts('u', cut)}
       join group_history g on g.group_id = m.group_id and ${lasts('g', cut)}
     where ${heldAt('m', cut, at)} ${page}
     order by m.group_id, m.user_id, m.from_position limit ${add(limit)}`,
    values,
  )
  return rows
}

/** Ordered by application, then group. */
export const assignmentsThen = async (
  client: pg.ClientBase,
  { cut: position }: Past,
  after: After<[string, string]>,
  limit: number,
): Promise<readonly ExportedAssignment[]> => {
  const { add, values } = parameters()
  const cut = `${add(position)}::text collate "C"`
  const page =
    after === null ? '' : `and (a.application_id, a.group_id) > (${add(after[0])}, ${add(after[1])})`
  const { rows } = await client.query<ExportedAssignment>(
    `select a.application_id as "applicationId", p.name as "applicationName", p.status as "applicationStatus",
       a.group_id as "groupId", g.name as "groupName", a.from_at as "assignedAt", a.assigned_by as "assignedBy",
       (${actorThen('a.assigned_by', 'a.from_position')}) ->> 'name' as "assignedByName", a.audit_id as "auditEventId"
     from application_groups a
       join application_history p on p.application_id = a.application_id and ${lasts('p', cut)}
       join group_history g on g.group_id = a.group_id and ${lasts('g', cut)}
     where ${lasts('a', cut)} ${page}
     order by a.application_id, a.group_id limit ${add(limit)}`,
    values,
  )
  return rows
}

/** In log order, without what was found out about them later. */
export const signInsThen = async (
  client: pg.ClientBase,
  { cut }: Past,
  after: string,
  limit: number,
): Promise<readonly (Omit<SignInRow, 'riskEventIds'> & Placed)[]> =>
  (await signInsInOrder(client, {}, { order: 'oldest', limit, after, upTo: cut })).map(
    ({ riskEventIds: _, ...row }) => row,
  )

/** In log order. */
export const auditThen = (
  client: pg.ClientBase,
  { cut }: Past,
  after: string,
  limit: number,
): Promise<readonly AuditRow[]> => listAudit(client, {}, { order: 'oldest', limit, after, upTo: cut })

export type CountedKind = 'users' | 'groups' | 'memberships' | 'applications' | 'assignments' | 'sign_ins'

/** About how many rows there are: intervals that have expired, and whose record is gone, count too. */
export const countThen = async (client: pg.ClientBase, { cut }: Past, kind: CountedKind): Promise<number> => {
  const history = { users: 'user_history', groups: 'group_history', applications: 'application_history' }
  const text =
    kind === 'memberships' || kind === 'assignments'
      ? `select count(*) from ${kind === 'memberships' ? 'memberships' : 'application_groups'} h
         where ${lasts('h', '$1::text collate "C"')}`
      : kind === 'sign_ins'
        ? `select count(*) from sign_ins s where s.position <= $1::text collate "C"`
        : `select count(*) from ${history[kind]} h where ${lasts('h', '$1::text collate "C"')} and h.status <> 'deleted'`
  const { rows } = await client.query<{ count: number }>(text, [cut])
  return rows[0]?.count ?? 0
}
