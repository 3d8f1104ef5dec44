/**
 * Changes of access between two times: users who gained or lost it, the access paths before and after, and who caused
 * the changes.
 */
import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { MembershipVia } from '../../domain/membership/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import {
  assignmentsThen,
  membershipFields,
  paths,
  stamp,
  type AccessPath,
  type ActorThen,
  type MembershipPath,
} from './access.ts'
import { parameters, type Parameters } from './page.ts'
import { actorThen, expiryAt, heldAt, lasts, written, type Past } from './past.ts'

export type Between = readonly [from: Past, to: Past]

export const causes = [
  'member_added',
  'member_removed',
  'membership_ran_out',
  'group_assigned',
  'group_unassigned',
  'person_invited',
  'person_active',
  'person_suspended',
  'person_deleted',
  'application_active',
  'application_disabled',
  'application_deleted',
] as const

/** A change between the two times that affected the access. */
export interface Cause {
  readonly what: (typeof causes)[number]
  readonly at: Instant
  /** Null for actions of the service itself, and for expiries */
  readonly by: ActorThen | null
  readonly eventId: Id<'auditEvent'> | null
  readonly groupId: Id<'group'> | null
  readonly via: MembershipVia | null
  readonly reason: string | null
}

interface Changed {
  readonly change: 'gained' | 'lost'
  readonly causes: readonly Cause[]
}

/** The access at one of the two times. */
interface AccessSide {
  readonly reaches: boolean
  /** Null if the user or application did not exist */
  readonly personStatus: UserStatus | null
  readonly applicationStatus: 'active' | 'disabled' | 'deleted' | null
  readonly via: readonly AccessPath[]
}

export interface AccessChange extends Changed {
  readonly userId: Id<'user'>
  readonly email: string
  readonly name: string
  readonly applicationId: Id<'application'>
  readonly applicationName: string
  readonly before: AccessSide
  readonly after: AccessSide
}

export interface MemberChange extends Changed {
  readonly userId: Id<'user'>
  readonly email: string
  readonly name: string
  readonly before: readonly MembershipPath[]
  readonly after: readonly MembershipPath[]
}

type Written = ReturnType<typeof written>

const happened = (position: string, [from, to]: readonly [Written, Written]): string =>
  `${position} > ${from.cut} and ${position} <= ${to.cut}`

/** Returns SQL for the memberships of the pairs (user_id, group_id) in `pair` that started, ended or expired. */
const membershipCauses = (between: readonly [Written, Written], keys: string): string => {
  const [from, to] = between
  const expiry = expiryAt('m', to.cut)
  const begun = `join memberships m on m.user_id = pair.user_id and m.group_id = pair.group_id`
  return `
    select ${keys}, 'member_added' as what, m.from_at as at, ${actorThen('m.granted_by', 'm.from_position')} as by,
      m.audit_id as event_id, m.group_id, m.via, null as reason, m.from_position as place
    from pair ${begun} where ${happened('m.from_position', between)}
    union all
    select ${keys}, 'member_removed', m.to_at, ${actorThen('m.ended_by', 'm.to_position')}, m.end_audit_id,
      m.group_id, m.via, m.end_reason, m.to_position
    from pair ${begun} where ${happened('m.to_position', between)}
    union all
    select ${keys}, 'membership_ran_out', ${expiry}, null, null, m.group_id, m.via, null, null
    from pair ${begun} where ${lasts('m', to.cut)} and ${expiry} > ${from.at} and ${expiry} <= ${to.at}`
}

const cause = `json_build_object('what', c.what, 'at', ${stamp('c.at')}, 'by', c.by,
  'eventId', c.event_id, 'groupId', c.group_id, 'via', c.via, 'reason', c.reason) order by c.at, c.place`

/** Returns SQL for the users or applications with access at a time: ids in `column`. */
const reached = (
  column: 'm.user_id' | 'a.application_id',
  { at, cut }: Written,
  one: string,
  after: string,
): string => `
  select distinct ${column} as id from application_groups a
    join memberships m on m.group_id = a.group_id and ${heldAt('m', cut, at)}
    join user_history u on u.user_id = m.user_id and ${lasts('u', cut)} and u.status = 'active'
    join application_history p on p.application_id = a.application_id and ${lasts('p', cut)} and p.status = 'active'
  where ${one} and ${lasts('a', cut)} and ${column} > ${after}`

const differing = (before: string, after: string, limit: string): string => `
  select coalesce(b.id, n.id) as id, case when b.id is null then 'gained' else 'lost' end as change
  from (${before}) b full join (${after}) n on n.id = b.id
  where b.id is null or n.id is null order by 1 limit ${limit}`

const side = ({ at, cut }: Written): string => `
  (select json_build_object('reaches', coalesce(u.status = 'active' and p.status = 'active' and w.via is not null, false),
     'personStatus', u.status, 'applicationStatus', p.status, 'via', coalesce(w.via, '[]'))
   from (select 1) one
     left join user_history u on u.user_id = pair.user_id and ${lasts('u', cut)}
     left join application_history p on p.application_id = pair.application_id and ${lasts('p', cut)}
     left join lateral (
       select ${paths(expiryAt('m', cut))} as via
       from memberships m ${assignmentsThen(cut)} and a.application_id = pair.application_id
       where m.user_id = pair.user_id and ${heldAt('m', cut, at)}) w on true)`

/** Returns SQL for the causes of changes for the pairs (user_id, application_id) in `changed`. */
const accessCauses = (between: readonly [Written, Written]): string => {
  const [from, to] = between
  const touches = (alias: string) =>
    `${alias}.from_position <= ${to.cut} and (${alias}.to_position is null or ${alias}.to_position > ${from.cut})`
  const keys = 'pair.user_id, pair.application_id'
  const assigned = `join application_groups a on a.application_id = changed.application_id
    and exists (select from memberships m where m.user_id = changed.user_id and m.group_id = a.group_id and ${touches('m')})`
  const turned = (kind: 'user' | 'application', what: string) => `
    select changed.user_id, changed.application_id, '${what}_' || h.status, h.from_at,
      ${actorThen('h.changed_by', 'h.from_position')}, h.audit_id, null, null, null, h.from_position
    from changed join ${kind}_history h on h.${kind}_id = changed.${kind}_id and ${happened('h.from_position', between)}
      left join ${kind}_history b on b.${kind}_id = h.${kind}_id and b.to_position = h.from_position
    where b.status is distinct from h.status`
  return `
    with pair as (select distinct changed.user_id, changed.application_id, a.group_id from changed
      join application_groups a on a.application_id = changed.application_id and ${touches('a')})
    ${membershipCauses(between, keys)}
    union all
    select changed.user_id, changed.application_id, 'group_assigned', a.from_at,
      ${actorThen('a.assigned_by', 'a.from_position')}, a.audit_id, a.group_id, null, null, a.from_position
    from changed ${assigned} where ${happened('a.from_position', between)}
    union all
    select changed.user_id, changed.application_id, 'group_unassigned', a.to_at,
      ${actorThen('a.ended_by', 'a.to_position')}, a.end_audit_id, a.group_id, null, null, a.to_position
    from changed ${assigned} where ${happened('a.to_position', between)}
    union all ${turned('user', 'person')}
    union all ${turned('application', 'application')}`
}

/** Adds both times to the parameters of a statement. */
const bothWritten = (params: Parameters, [from, to]: Between): readonly [Written, Written] => [
  written(params, from),
  written(params, to),
]

/**
 * Returns the users who gained or lost an application, or the applications that a user gained or lost, ordered by id.
 * @param of the application or the user
 * @param after id of the last row of the previous page
 */
export const accessChanges = async (
  client: pg.ClientBase,
  of: { readonly applicationId: string } | { readonly userId: string },
  between: Between,
  limit: number,
  after = '',
): Promise<readonly AccessChange[]> => {
  const params = parameters()
  const { add, values } = params
  const times = bothWritten(params, between)
  const [from, to] = times
  const [column, one, known] =
    'applicationId' in of
      ? (['m.user_id', `a.application_id = ${add(of.applicationId)}`, 'application_id'] as const)
      : (['a.application_id', `m.user_id = ${add(of.userId)}`, 'user_id'] as const)
  const [past, most, self] = [add(after), add(limit), add(Object.values(of)[0])]
  const other = known === 'user_id' ? 'application_id' : 'user_id'
  const { rows } = await client.query<AccessChange>(
    `with changed as materialized (
       select d.id as ${other}, ${self}::text as ${known}, d.change
       from (${differing(reached(column, from, one, past), reached(column, to, one, past), most)}) d),
     caused as (
       select c.user_id, c.application_id, json_agg(${cause}) as causes from (${accessCauses(times)}) c
       group by c.user_id, c.application_id)
     select pair.user_id as "userId", u.email, u.name, pair.application_id as "applicationId",
       p.name as "applicationName", pair.change, ${side(from)} as before, ${side(to)} as after,
       coalesce(caused.causes, '[]') as causes
     from changed pair join user_history u on u.user_id = pair.user_id and ${lasts('u', to.cut)}
       join application_history p on p.application_id = pair.application_id and ${lasts('p', to.cut)}
       left join caused on caused.user_id = pair.user_id and caused.application_id = pair.application_id
     order by pair.${other}`,
    values,
  )
  return rows
}

/**
 * Returns the users who joined or left a group, ordered by id.
 * @param after id of the last row of the previous page
 */
export const memberChanges = async (
  client: pg.ClientBase,
  groupId: string,
  between: Between,
  limit: number,
  after = '',
): Promise<readonly MemberChange[]> => {
  const params = parameters()
  const { add, values } = params
  const times = bothWritten(params, between)
  const [from, to] = times
  const [group, past, most] = [`${add(groupId)}::text`, add(after), add(limit)]
  const held = ({ at, cut }: Written) =>
    `select distinct m.user_id as id from memberships m
     where m.group_id = ${group} and m.user_id > ${past} and ${heldAt('m', cut, at)}`
  const ways = ({ at, cut }: Written) =>
    `(select coalesce(json_agg(json_build_object(${membershipFields('m.from_at', expiryAt('m', cut))})
        order by m.from_position), '[]')
      from memberships m where m.group_id = ${group} and m.user_id = pair.user_id and ${heldAt('m', cut, at)})`
  const { rows } = await client.query<MemberChange>(
    `with pair as materialized (
       select d.id as user_id, ${group} as group_id, d.change from (${differing(held(from), held(to), most)}) d),
     caused as (
       select c.user_id, json_agg(${cause}) as causes from (${membershipCauses(times, 'pair.user_id')}) c
       group by c.user_id)
     select pair.user_id as "userId", u.email, u.name, pair.change, ${ways(from)} as before, ${ways(to)} as after,
       coalesce(caused.causes, '[]') as causes
     from pair join user_history u on u.user_id = pair.user_id and ${lasts('u', to.cut)}
       left join caused on caused.user_id = pair.user_id
     order by pair.user_id`,
    values,
  )
  return rows
}
