import { Type } from 'typebox'
import { policyPresets } from '../../../domain/policy/presets.ts'
import { findPolicy, listPolicies, policyVersions } from '../../../read-models/queries/policies.ts'
import { policyCommands } from '../../application/commands/policies.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import type { Caller } from '../http/caller.ts'
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
import {
  conditionsFrom,
  Policy,
  PolicyAction,
  policyInput,
  PolicyPreset,
  PolicyStatus,
  PolicyVersion,
} from './policy-schemas.ts'

const tag = 'Policies'
const params = fields({ id: idOf('policy') })

/** A policy must not block the session or terminal that saves it. */
const guardOf = (caller: Caller, force: boolean) => ({
  here: caller.kind === 'session' || caller.kind === 'admin_token' ? caller.decision.facts : null,
  force,
})

/** Routes for access policies. */
export const policyRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'clock' | 'configuration'>,
): readonly Route[] => {
  const { pool } = services
  const policies = policyCommands(services)
  const read = (id: string) => findPolicy(pool, id)

  return [
    route({
      method: 'GET',
      path: '/policies',
      tag,
      summary: 'List access policies',
      description:
        'All matching policies apply, in no order: a block beats everything, requirements add up, and without a match the sign-in is allowed.',
      access: readers,
      query: listQuery({
        ...sorting,
        status: Type.Optional(PolicyStatus),
        action: Type.Optional(PolicyAction),
      }),
      result: Type.Array(Policy),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = listPageOf(query)
        const rows = await listPolicies(pool, query, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'POST',
      path: '/policies',
      tag,
      summary: 'Create an access policy',
      description:
        'Rejected with ERR_CONFLICT if every global administrator, or the session that sends it, would be kept out, unless force is true.',
      access: proven(writers('security_admin')),
      body: fields({
        name: policyInput.name,
        description: policyInput.description,
        status: Type.Optional(policyInput.status),
        priority: Type.Optional(policyInput.priority),
        conditions: Type.Optional(policyInput.conditions),
        action: policyInput.action,
        sessionMaxAgeMinutes: policyInput.sessionMaxAgeMinutes,
        force: policyInput.force,
      }),
      result: Policy,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['policy.create'],
      handle: async (request) => {
        const { body, caller } = request
        const { status = 'disabled', priority = 0, conditions, force = false, ...rest } = withoutNulls(body)
        const { policyId, version } = await policies.create(
          { ...rest, priority, conditions: conditionsFrom(conditions) },
          status,
          guardOf(caller, force),
          actorOf(request),
        )
        return created(`/api/v1/policies/${policyId}`, await readBack(read(policyId), version))
      },
    }),
    route({
      method: 'GET',
      path: '/policies/presets',
      tag,
      summary: 'List presets for access policies',
      description: 'Send one to POST /policies, changed as you like.',
      access: readers,
      result: Type.Array(PolicyPreset),
      status: 200,
      errors: [],
      handle: () => Promise.resolve({ body: policyPresets }),
    }),
    route({
      method: 'GET',
      path: '/policies/{id}',
      tag,
      summary: 'Read an access policy',
      access: readers,
      params,
      result: Policy,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(read(id)) }),
    }),
    route({
      method: 'PATCH',
      path: '/policies/{id}',
      tag,
      summary: 'Update an access policy',
      description: 'In effect for every following request on every instance when it returns.',
      access: proven(writers('security_admin')),
      params,
      body: fields({
        name: Type.Optional(policyInput.name),
        description: policyInput.description,
        status: Type.Optional(policyInput.status),
        priority: Type.Optional(policyInput.priority),
        conditions: Type.Optional(policyInput.conditions),
        action: Type.Optional(policyInput.action),
        sessionMaxAgeMinutes: policyInput.sessionMaxAgeMinutes,
        force: policyInput.force,
      }),
      result: Policy,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['policy.update', 'policy.enable', 'policy.disable', 'policy.report_only'],
      handle: async (request) => {
        const { body, caller, params: path } = request
        const { status, conditions, force = false, ...rest } = sent(body)
        const changes = conditions === undefined ? rest : { ...rest, conditions: conditionsFrom(conditions) }
        const actor = actorOf(request)
        const { version } = await policies.update(path.id, changes, status, guardOf(caller, force), actor)
        return { body: await readBack(read(path.id), version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/policies/{id}',
      tag,
      summary: 'Delete an access policy',
      access: proven(writers('security_admin')),
      params,
      status: 204,
      errors: ['ERR_STALE'],
      audit: ['policy.delete'],
      handle: async (request) => {
        await policies.delete(request.params.id, actorOf(request))
        return done
      },
    }),
    route({
      method: 'GET',
      path: '/policies/{id}/history',
      tag,
      summary: 'List the versions of an access policy, newest first',
      description: 'Also of a deleted policy.',
      access: readers,
      params,
      query: fields({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
        before: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Only versions before this one' }),
        ),
      }),
      result: Type.Array(PolicyVersion),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query: { limit = 50, before } }) => {
        const versions = await policyVersions(pool, id, { limit, before })
        if (versions.length === 0 && before === undefined) await existing(read(id))
        return { body: versions }
      },
    }),
  ]
}
