import { Type } from 'typebox'
import type { GroupRule } from '../../../domain/group/rule.ts'
import { groupsThen } from '../../../read-models/queries/past-lists.ts'
import { findGroup, listGroups, readGroupsThen } from '../../../read-models/queries/groups.ts'
import type { Services } from '../../application/services/services.ts'
import { groupCommands } from '../../application/commands/groups.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { groupStream } from '../../../domain/group/decider.ts'
import { actorOf } from '../http/actor.ts'
import { listOfThePast, pastHeaders, recordOfThePast } from './past.ts'
import { Group, RuleInput, groupFields } from './group-schemas.ts'
import {
  clearable,
  existing,
  withoutNulls,
  line,
  listPageOf,
  readBack,
  readers,
  sent,
  sorting,
  writers,
  timeTravel,
} from '../http/schemas.ts'

const tag = 'Groups'
const params = fields({ id: idOf('group') })

const optional = {
  description: groupFields.description,
  rule: clearable(RuleInput),
  externalId: clearable(line(200, 'dept-42')),
  ownerIds: Type.Optional(Type.Array(idOf('user'), { maxItems: 50, uniqueItems: true })),
}
const { name } = groupFields

export const groupRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'reservations' | 'locks' | 'clock' | 'pastRecord'>,
): readonly Route[] => {
  const { pool, clock } = services
  const groups = groupCommands(services)
  const read = (id: string) => findGroup(pool, id, clock.now())

  return [
    route({
      method: 'GET',
      path: '/groups',
      tag,
      summary: 'List groups',
      description: 'With `at`, the order is by id, and `sort` cannot be sent.',
      access: readers,
      query: listQuery({
        ...sorting,
        ...timeTravel,
        userId: Type.Optional(idOf('user')),
        applicationId: Type.Optional(idOf('application')),
      }),
      result: Type.Array(Group),
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ query, http }) => {
        const { at, sort } = query
        if (at !== undefined) {
          const list = await listOfThePast(
            services,
            { ...query, at },
            http.url,
            { sort },
            {
              ids: (client, past, page) => groupsThen(client, past, query, page),
              stream: groupStream,
              read: readGroupsThen,
            },
          )
          return listReply(list, (row) => row)
        }
        const { page, shown, toCursor } = listPageOf(query)
        const rows = await listGroups(pool, query, page, clock.now())
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'POST',
      path: '/groups',
      tag,
      summary: 'Create a group',
      access: writers('user_admin'),
      body: fields({ name, ...optional }),
      result: Group,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['group.create'],
      handle: async (request) => {
        const { rule, ...rest } = withoutNulls(request.body)
        const { groupId, version } = await groups.create(
          { ...rest, rule: (rule as GroupRule | undefined) ?? null, source: 'local' },
          actorOf(request),
        )
        return created(`/api/v1/groups/${groupId}`, await readBack(read(groupId), version))
      },
    }),
    route({
      method: 'GET',
      path: '/groups/{id}',
      tag,
      summary: 'Get a group',
      access: readers,
      params,
      query: fields(timeTravel),
      result: Group,
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query: { at } }) => {
        if (at === undefined) return { body: await existing(read(id)) }
        const { row, headers } = await recordOfThePast(services, groupStream(id), at, readGroupsThen)
        return { body: row, headers }
      },
    }),
    route({
      method: 'PATCH',
      path: '/groups/{id}',
      tag,
      summary: 'Update a group',
      description:
        'Applications see the name in the groups claim. If the rule is null, members by rule are removed.',
      access: writers('user_admin'),
      params,
      body: fields({ name: Type.Optional(name), ...optional }),
      result: Group,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['group.update', 'group.rule.update'],
      handle: async (request) => {
        const { id } = request.params
        const { rule, ...changes } = sent(request.body)
        const { version } = await groups.update(id, changes, rule, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/groups/{id}',
      tag,
      summary: 'Delete a group',
      description: 'Rejected while the group is assigned to an application.',
      access: writers('user_admin'),
      params,
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['group.delete'],
      handle: async (request) => {
        await groups.delete(request.params.id, actorOf(request))
        return done
      },
    }),
  ]
}
