/**
 * Pages of users, groups and applications at a past time, in order of ids: which existed then, from the intervals of their
 * names and states. What else they were follows from their own events.
 */
import type pg from 'pg'
import type { ApplicationFilters } from './applications.ts'
import type { GroupFilters } from './groups.ts'
import { parameters, prefixPattern, type Parameters } from './page.ts'
import { heldAt, lasts, type Past } from './past.ts'
import type { UserFilters } from './users.ts'

export interface IdPage {
  readonly limit: number
  /** The last id of the page before. */
  readonly after?: string | undefined
}

/** Filters of users whose values over time are in intervals. The others are only known from the events. */
export type PastUserFilters = Pick<UserFilters, 'status' | 'groupId' | 'role' | 'email' | 'q'>

/** @param conditions on the interval h of each record */
const idsOf = async (
  client: pg.ClientBase,
  [table, id]: readonly [table: string, id: string],
  { limit, after }: IdPage,
  conditions: readonly string[],
  { add, values }: Parameters,
): Promise<readonly string[]> => {
  const all = [...conditions, ...(after === undefined ? [] : [`h.${id} > ${add(after)}`])]
  const { rows } = await client.query<{ id: string }>(
    `select h.${id} as id from ${table} h where ${all.join(' and ')} order by h.${id} limit ${add(limit)}`,
    values,
  )
  return rows.map((row) => row.id)
}

const cutIn = ({ add }: Parameters, { cut }: Past): string => `${add(cut)}::text collate "C"`

const startsWith = ({ add }: Parameters, q: string | undefined, ...columns: readonly string[]) =>
  q === undefined
    ? []
    : [
        `(${columns.map((column) => `lower(h.${column}) collate "C" like lower(${add(prefixPattern(q))})`).join(' or ')})`,
      ]

export const usersThen = (
  client: pg.ClientBase,
  past: Past,
  { status, groupId, role, email, q }: PastUserFilters,
  page: IdPage,
): Promise<readonly string[]> => {
  const params = parameters()
  const { add } = params
  const cut = cutIn(params, past)
  const conditions = [
    lasts('h', cut),
    status === undefined ? `h.status <> 'deleted'` : `h.status = ${add(status)}`,
    ...(groupId === undefined
      ? []
      : [
          `h.user_id in (select m.user_id from memberships m
             where m.group_id = ${add(groupId)} and ${heldAt('m', cut, `${add(past.at)}::timestamptz`)})`,
        ]),
    ...(role === undefined
      ? []
      : [
          `h.user_id in (select r.user_id from role_intervals r where r.role = ${add(role)} and ${lasts('r', cut)})`,
        ]),
    ...(email === undefined
      ? []
      : [`lower(h.email) = ${add(email.toLowerCase())} and h.status <> 'deleted'`]),
    ...startsWith(params, q, 'name', 'email'),
  ]
  return idsOf(client, ['user_history', 'user_id'], page, conditions, params)
}

export const groupsThen = (
  client: pg.ClientBase,
  past: Past,
  { q, userId, applicationId }: GroupFilters,
  page: IdPage,
): Promise<readonly string[]> => {
  const params = parameters()
  const { add } = params
  const cut = cutIn(params, past)
  const conditions = [
    lasts('h', cut),
    `h.status <> 'deleted'`,
    ...(userId === undefined
      ? []
      : [
          `h.group_id in (select m.group_id from memberships m
             where m.user_id = ${add(userId)} and ${heldAt('m', cut, `${add(past.at)}::timestamptz`)})`,
        ]),
    ...(applicationId === undefined
      ? []
      : [
          `h.group_id in (select a.group_id from application_groups a
             where a.application_id = ${add(applicationId)} and ${lasts('a', cut)})`,
        ]),
    ...startsWith(params, q, 'name'),
  ]
  return idsOf(client, ['group_history', 'group_id'], page, conditions, params)
}

export const applicationsThen = (
  client: pg.ClientBase,
  past: Past,
  { status, protocol, type, groupId, q }: ApplicationFilters,
  page: IdPage,
): Promise<readonly string[]> => {
  const params = parameters()
  const { add } = params
  const cut = cutIn(params, past)
  // Neither ever changes, so the present row has them, also of an application that was deleted since.
  const constant = [
    ...(protocol === undefined ? [] : [`p.protocol = ${add(protocol)}`]),
    ...(type === undefined ? [] : [`p.type = ${add(type)}`]),
  ]
  const conditions = [
    lasts('h', cut),
    status === undefined ? `h.status <> 'deleted'` : `h.status = ${add(status)}`,
    ...(constant.length === 0
      ? []
      : [`h.application_id in (select p.id from applications p where ${constant.join(' and ')})`]),
    ...(groupId === undefined
      ? []
      : [
          `h.application_id in (select a.application_id from application_groups a
             where a.group_id = ${add(groupId)} and ${lasts('a', cut)})`,
        ]),
    ...startsWith(params, q, 'name'),
  ]
  return idsOf(client, ['application_history', 'application_id'], page, conditions, params)
}
