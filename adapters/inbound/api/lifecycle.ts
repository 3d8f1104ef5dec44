import { Type } from 'typebox'
import { plainRule } from '../../../domain/lifecycle-rule/decider.ts'
import {
  findLifecycleRule,
  listLifecycleRules,
  type LifecycleRuleRow,
} from '../../../read-models/queries/lifecycle-rules.ts'
import {
  findLifecycleRun,
  listLifecycleRuns,
  type LifecycleRunRow,
} from '../../../read-models/queries/lifecycle-runs.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import { lifecycleRuleCommands } from '../../application/commands/lifecycle-rules.ts'
import { lifecyclePreview } from '../../application/reactions/lifecycle-preview.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { listPage, listQuery, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import {
  existing,
  listPageOf,
  proven,
  readBack,
  readers,
  sent,
  sorting,
  withoutNulls,
  writers,
} from '../http/schemas.ts'
import { positionAfter } from './access-requests.ts'
import {
  Categories,
  completedActions,
  LifecyclePreview,
  LifecycleRule,
  lifecycleRuleInput,
  lifecycleRuleOptions,
  LifecycleRun,
  LifecycleSchedule,
  LifecycleStatuses,
  RunStatuses,
} from './lifecycle-schemas.ts'

const tag = 'Lifecycle'
const params = fields({ id: idOf('lifecycleRule') })
const { name, trigger, actions } = lifecycleRuleInput

const toRun = ({ position: _, ...row }: LifecycleRunRow) => row

/** Routes for lifecycle rules and their runs. */
export const lifecycleRoutes = (
  services: Pick<Services, 'handle' | 'inForce' | 'pool' | 'locks' | 'reservations' | 'clock'>,
): readonly Route[] => {
  const { pool, clock } = services
  const rules = lifecycleRuleCommands(services)
  const preview = lifecyclePreview(services)
  const read = (id: string): Promise<LifecycleRuleRow | null> => findLifecycleRule(pool, id)

  return [
    route({
      method: 'GET',
      path: '/lifecycle/rules',
      tag,
      summary: 'List lifecycle rules',
      access: readers,
      query: listQuery({
        ...sorting,
        status: Type.Optional(LifecycleStatuses),
        category: Type.Optional(Categories),
      }),
      result: Type.Array(LifecycleRule),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = listPageOf(query)
        const rows = await listLifecycleRules(pool, query, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'POST',
      path: '/lifecycle/rules',
      tag,
      summary: 'Create a lifecycle rule',
      description:
        'It applies to what happens from its enabling on. It acts on accounts with a role only if a global administrator saved and enabled it.',
      access: proven(writers('user_admin')),
      body: fields({
        name,
        trigger,
        actions,
        enabled: Type.Optional(Type.Boolean({ default: false })),
        ...lifecycleRuleOptions,
      }),
      result: LifecycleRule,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['lifecycle_rule.create'],
      handle: async (request) => {
        const { enabled = false, ...input } = withoutNulls(request.body)
        const settings = { ...plainRule, ...input, actions: completedActions(request.body.actions) }
        const actor = actorOf(request)
        const { ruleId, version } = await rules.create(settings, enabled, request.caller.roles, actor)
        return created(`/api/v1/lifecycle/rules/${ruleId}`, await readBack(read(ruleId), version))
      },
    }),
    route({
      method: 'GET',
      path: '/lifecycle/rules/{id}',
      tag,
      summary: 'Read a lifecycle rule',
      access: readers,
      params,
      result: LifecycleRule,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(read(id)) }),
    }),
    route({
      method: 'PATCH',
      path: '/lifecycle/rules/{id}',
      tag,
      summary: 'Update a lifecycle rule',
      description:
        'Runs that have been scheduled keep their actions. Whoever saves the rule answers for it: see actsOnAdministrators.',
      access: proven(writers('user_admin')),
      params,
      body: fields({
        name: Type.Optional(name),
        trigger: Type.Optional(trigger),
        actions: Type.Optional(actions),
        ...lifecycleRuleOptions,
      }),
      result: LifecycleRule,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['lifecycle_rule.update'],
      handle: async (request) => {
        const { id } = request.params
        const { actions: all } = request.body
        const input = {
          ...sent(request.body),
          ...(all === undefined ? {} : { actions: completedActions(all) }),
        }
        const { version } = await rules.update(id, input, request.caller.roles, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/lifecycle/rules/{id}',
      tag,
      summary: 'Delete a lifecycle rule',
      description: 'Scheduled runs are skipped. Memberships that it gave stay.',
      access: writers('user_admin'),
      params,
      status: 204,
      errors: ['ERR_STALE'],
      audit: ['lifecycle_rule.delete'],
      handle: async (request) => {
        await rules.delete(request.params.id, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/lifecycle/rules/{id}/enable',
      tag,
      summary: 'Enable a lifecycle rule',
      description:
        'Also after its safety stop. What happened before does not trigger it: preview the rule, and run it for those users.',
      access: proven(writers('user_admin')),
      params,
      result: LifecycleRule,
      status: 200,
      errors: ['ERR_STALE'],
      audit: ['lifecycle_rule.enable'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await rules.enable(id, request.caller.roles, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'POST',
      path: '/lifecycle/rules/{id}/disable',
      tag,
      summary: 'Disable a lifecycle rule',
      description: 'Scheduled runs are skipped when they are due. A run that has begun goes on.',
      access: writers('user_admin'),
      params,
      result: LifecycleRule,
      status: 200,
      errors: ['ERR_STALE'],
      audit: ['lifecycle_rule.disable'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await rules.disable(id, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'POST',
      path: '/lifecycle/rules/{id}/preview',
      tag,
      summary: 'List the users whom a lifecycle rule would act on',
      description:
        'For dates: those of the last and the next 31 days that the rule has not acted on. Else: the users who are now what the trigger and the conditions say. Nothing happens.',
      access: readers,
      params,
      result: LifecyclePreview,
      status: 200,
      errors: [],
      audit: [],
      handle: async ({ params: { id } }) => ({ body: await preview.of(await existing(read(id))) }),
    }),
    route({
      method: 'POST',
      path: '/lifecycle/rules/{id}/run',
      tag,
      summary: 'Run a lifecycle rule for users',
      description:
        'Now, without its delay, whether they match it or not, also if it is not enabled. The response does not wait for the actions.',
      access: proven(writers('user_admin')),
      params,
      body: fields({ userIds: Type.Array(idOf('user'), { minItems: 1, maxItems: 100, uniqueItems: true }) }),
      result: Type.Array(LifecycleRun),
      status: 200,
      errors: [],
      audit: ['lifecycle_rule.run'],
      handle: async (request) => {
        const { id } = request.params
        const { userIds } = request.body
        const runIds = await rules.run(id, userIds, request.caller.roles, actorOf(request))
        const rows = await Promise.all(runIds.map((runId) => existing(findLifecycleRun(pool, runId))))
        return { body: rows.map(toRun) }
      },
    }),
    route({
      method: 'GET',
      path: '/lifecycle/runs',
      tag,
      summary: 'List the runs of lifecycle rules, newest first',
      access: readers,
      query: listQuery({
        ruleId: Type.Optional(idOf('lifecycleRule')),
        userId: Type.Optional(idOf('user')),
        status: Type.Optional(RunStatuses),
      }),
      result: Type.Array(LifecycleRun),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { limit, after, toCursor } = positionAfter(query)
        const rows = await listLifecycleRuns(pool, query, limit + 1, after)
        return listReply(listPage(rows, limit, toCursor, http.url), toRun)
      },
    }),
    route({
      method: 'GET',
      path: '/lifecycle/runs/{id}',
      tag,
      summary: 'Read a run of a lifecycle rule',
      access: readers,
      params: fields({ id: idOf('run') }),
      result: LifecycleRun,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: toRun(await existing(findLifecycleRun(pool, id))) }),
    }),
    route({
      method: 'GET',
      path: '/users/{id}/lifecycle',
      tag: 'Users',
      summary: "List what lifecycle rules will do on a user's dates",
      description: 'By the dates of the profile. Runs that wait for their delay are in /lifecycle/runs.',
      access: readers,
      params: fields({ id: idOf('user') }),
      result: LifecycleSchedule,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => {
        await existing(findUser(pool, id, clock.now()))
        return { body: await preview.scheduledFor(id) }
      },
    }),
  ]
}
