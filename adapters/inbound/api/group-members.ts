import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { matchesRule, ruleProblem, type GroupRule } from '../../../domain/group/rule.ts'
import { findGroup, groupEverExisted, ruleCandidates } from '../../../read-models/queries/groups.ts'
import { listMembers, listMembersThen, type MemberRow } from '../../../read-models/queries/memberships.ts'
import type { Services } from '../../application/services/services.ts'
import { groupCommands } from '../../application/commands/groups.ts'
import {
  decodeCursor,
  DEFAULT_LIMIT,
  listQuery,
  listPage,
  listReply,
  type CursorKeys,
} from '../http/cursor.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { via } from './access-schemas.ts'
import { actorOf } from '../http/actor.ts'
import { Member, RuleInput, RulePreview } from './group-schemas.ts'
import { answerOfThePast, listPageById, pastHeaders, timeOf } from './past.ts'
import {
  foreignCursor,
  existing,
  instantOf,
  readers,
  sorting,
  Time,
  timeTravel,
  writers,
} from '../http/schemas.ts'

const tag = 'Groups'
const params = fields({ id: idOf('group') })
const memberParams = fields({ id: idOf('group'), userId: idOf('user') })
/** Maximum number of users that a preview lists; its counts cover all. */
const SHOWN = 200

const placeOf = (keys: CursorKeys | undefined): readonly [string, string, string] | undefined => {
  if (keys === undefined) return undefined
  const [name, userId, position] = keys
  if (typeof name === 'string' && typeof userId === 'string' && typeof position === 'string')
    return [name, userId, position]
  throw foreignCursor()
}

interface PastMembers {
  readonly at: string
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly q?: string | undefined
  readonly via?: MemberRow['via'] | undefined
}

const toMember = ({ sortKey: _, position: __, ...row }: MemberRow) => row

export const groupMemberRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'reservations' | 'locks' | 'clock'>,
): readonly Route[] => {
  const { pool, clock } = services
  const groups = groupCommands(services)

  const preview = async (groupId: string | null, rule: GroupRule) => {
    const problem = ruleProblem(rule)
    if (problem !== null) throw new DomainError('ERR_INVALID', problem.message, problem.field)
    const added = []
    const removed = []
    const count = { added: 0, removed: 0, total: 0 }
    for await (const { userId, name, subject, inByRule } of ruleCandidates(pool, groupId)) {
      const matches = matchesRule(rule, subject)
      if (matches) count.total++
      if (matches === inByRule) continue
      const person = { userId, name, email: subject.email ?? '' }
      if (matches && count.added++ < SHOWN) added.push(person)
      if (!matches && count.removed++ < SHOWN) removed.push(person)
    }
    return { added, removed, addedCount: count.added, removedCount: count.removed, total: count.total }
  }

  const membersThen = async (id: string, query: PastMembers, url: URL) => {
    if (!(await groupEverExisted(pool, id))) throw new DomainError('ERR_NOT_FOUND')
    const { limit, after } = listPageById(query, 2)
    const [userId, position] = after ?? []
    const place = userId === undefined || position === undefined ? undefined : ([userId, position] as const)
    const { answer, headers } = await answerOfThePast(
      pool,
      [timeOf(query.at, clock.now())],
      (client, [past]) => listMembersThen(client, id, query, past, limit + 1, place),
    )
    const paged = listPage(answer, limit, (row) => [row.userId, row.position], url)
    return listReply({ rows: paged.rows, headers: { ...paged.headers, ...headers } }, toMember)
  }

  return [
    route({
      method: 'GET',
      path: '/groups/{id}/members',
      tag,
      summary: 'List the members of a group',
      description:
        'Ordered by name, or by id when `at` is sent. A user with two sources of membership is listed once for each.',
      access: readers,
      params,
      query: listQuery({ ...timeTravel, q: sorting.q, via: Type.Optional(via) }),
      result: Type.Array(Member),
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        if (query.at !== undefined) return membersThen(id, { ...query, at: query.at }, http.url)
        const now = clock.now()
        await existing(findGroup(pool, id, now))
        const after = placeOf(decodeCursor(query.cursor, 3))
        const limit = query.limit ?? DEFAULT_LIMIT
        const rows = await listMembers(pool, id, query, now, limit + 1, after)
        const paged = listPage(rows, limit, (row) => [row.sortKey, row.userId, row.position], http.url)
        return listReply(paged, toMember)
      },
    }),
    route({
      method: 'PUT',
      path: '/groups/{id}/members/{userId}',
      tag,
      summary: 'Add a user to a group',
      description:
        'Repeat the request to change expiresAt. Without expiresAt the membership does not expire.',
      access: writers('user_admin'),
      params: memberParams,
      body: fields({ expiresAt: Type.Optional(Type.Union([Time, Type.Null()])) }),
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['group.member.add'],
      handle: async (request) => {
        const { id, userId } = request.params
        const { expiresAt } = request.body
        const until =
          expiresAt === undefined || expiresAt === null ? undefined : instantOf(expiresAt, 'expiresAt')
        await groups.addMember(id, userId, until, actorOf(request))
        return done
      },
    }),
    route({
      method: 'DELETE',
      path: '/groups/{id}/members/{userId}',
      tag,
      summary: 'Remove a user from a group',
      description: "Rejected for memberships that come from the group's rule or from a package.",
      access: writers('user_admin'),
      params: memberParams,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['group.member.remove'],
      handle: async (request) => {
        const { id, userId } = request.params
        await existing(findGroup(pool, id, clock.now()))
        await groups.removeMember(id, userId, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/groups/{id}/rule/preview',
      tag,
      summary: 'Preview the changes that a rule makes in a group',
      access: readers,
      params,
      body: fields({ rule: RuleInput }),
      result: RulePreview,
      status: 200,
      errors: [],
      handle: async ({ params: { id }, body }) => {
        await existing(findGroup(pool, id, clock.now()))
        return { body: await preview(id, body.rule) }
      },
    }),
    route({
      method: 'POST',
      path: '/groups/rule/preview',
      tag,
      summary: 'Preview the users that a rule matches',
      access: readers,
      body: fields({ rule: RuleInput }),
      result: RulePreview,
      status: 200,
      errors: [],
      handle: async ({ body }) => ({ body: await preview(null, body.rule as GroupRule) }),
    }),
  ]
}
