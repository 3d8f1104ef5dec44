import { Type } from 'typebox'
import {
  findProvisioning,
  listAccounts,
  listProvisioning,
} from '../../../read-models/queries/provisioning.ts'
import type { Services } from '../../application/services/services.ts'
import { provisioningCommands } from '../../outbound/provisioning/commands.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import {
  Attributes,
  authScheme,
  baseUrl,
  Provisioning,
  ProvisionedUser,
  provisioningViews,
  scimToken,
  userNameAttribute,
} from './provisioning-schemas.ts'
import { listPageOf, proven, readBack, readers, writers } from '../http/schemas.ts'

const tag = 'Provisioning'
const path = '/provisioning/applications/{applicationId}'
const params = fields({ applicationId: idOf('application') })
const managers = writers('app_admin')

export const provisioningRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'vault' | 'egress'>,
): readonly Route[] => {
  const { pool } = services
  const commands = provisioningCommands(services)
  const show = provisioningViews(services)

  return [
    route({
      method: 'GET',
      path: '/provisioning/applications',
      tag,
      summary: 'List applications with provisioning, by name',
      access: readers,
      query: listQuery({}),
      result: Type.Array(Provisioning),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown } = listPageOf(query)
        const rows = await listProvisioning(pool, page.limit, page.after)
        return listReply(
          listPage(rows, shown, ({ sortKey, applicationId }) => ['name', sortKey, applicationId], http.url),
          ({ sortKey: _, ...row }) => show.provisioning(row),
        )
      },
    }),
    route({
      method: 'GET',
      path,
      tag,
      summary: "Get an application's provisioning",
      access: readers,
      params,
      result: Provisioning,
      status: 200,
      errors: ['ERR_NOT_CONFIGURED'],
      handle: async ({ params: { applicationId } }) => ({
        body: show.provisioning(await commands.configured(applicationId)),
      }),
    }),
    route({
      method: 'PUT',
      path,
      tag,
      summary: 'Set up or change provisioning',
      description:
        'Replaces all fields. If the token is omitted, the current one is kept, unless the base URL is on another server. ' +
        'If the base URL changes, accounts are matched again.',
      access: proven(managers),
      params,
      body: fields({
        baseUrl,
        token: Type.Optional(scimToken),
        authScheme: Type.Optional(authScheme),
        enabled: Type.Optional(Type.Boolean({ description: 'default: true' })),
        userNameAttribute: Type.Optional(userNameAttribute),
        attributes: Type.Optional(Type.Partial(Attributes, { additionalProperties: false })),
      }),
      result: Provisioning,
      status: 200,
      errors: ['ERR_BUILT_IN', 'ERR_STALE'],
      audit: ['provisioning.configure', 'provisioning.enable', 'provisioning.disable'],
      handle: async (request) => {
        const { applicationId } = request.params
        const { token, attributes = {}, ...body } = request.body
        const { version } = await commands.configure(
          applicationId,
          {
            baseUrl: body.baseUrl,
            authScheme: body.authScheme ?? 'bearer',
            enabled: body.enabled ?? true,
            userNameAttribute: body.userNameAttribute ?? 'email',
            attributes: {
              name: attributes.name ?? true,
              email: attributes.email ?? true,
              title: attributes.title ?? true,
              department: attributes.department ?? true,
            },
            ...(token === undefined ? {} : { token }),
          },
          actorOf(request),
        )
        return { body: show.provisioning(await readBack(findProvisioning(pool, applicationId), version)) }
      },
    }),
    route({
      method: 'DELETE',
      path,
      tag,
      summary: 'Remove provisioning',
      description: 'Accounts in the application are not changed.',
      access: managers,
      params,
      status: 204,
      errors: ['ERR_NOT_CONFIGURED', 'ERR_STALE'],
      audit: ['provisioning.disable'],
      handle: async (request) => {
        await commands.remove(request.params.applicationId, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: `${path}/test`,
      tag,
      summary: "Test the connection to the application's SCIM service",
      access: managers,
      params,
      status: 204,
      errors: ['ERR_NOT_CONFIGURED', 'ERR_TOKEN_UNREADABLE', 'ERR_SCIM_CONNECTION'],
      handle: async ({ params: { applicationId } }) => {
        await commands.test(applicationId)
        return done
      },
    }),
    route({
      method: 'POST',
      path: `${path}/sync`,
      tag,
      summary: 'Sync all users who are out of date now',
      description: 'Includes users whose last push failed and whose retry is not due yet.',
      access: managers,
      params,
      result: Type.Object({ runId: idOf('run') }, { title: 'ProvisioningRun' }),
      status: 202,
      errors: ['ERR_NOT_CONFIGURED', 'ERR_TOKEN_UNREADABLE', 'ERR_CONFLICT'],
      audit: ['provisioning.sync'],
      handle: async (request) => ({
        body: { runId: await commands.sync(request.params.applicationId, actorOf(request)) },
      }),
    }),
    route({
      method: 'POST',
      path: `${path}/resume`,
      tag,
      summary: 'Resume provisioning after a pause and allow the deactivations that caused it',
      access: managers,
      params,
      result: Provisioning,
      status: 200,
      errors: ['ERR_NOT_CONFIGURED', 'ERR_STALE'],
      audit: ['provisioning.recover'],
      handle: async (request) => {
        const { applicationId } = request.params
        const { version } = await commands.resume(applicationId, actorOf(request))
        return { body: show.provisioning(await readBack(findProvisioning(pool, applicationId), version)) }
      },
    }),
    route({
      method: 'GET',
      path: `${path}/users`,
      tag,
      summary: 'List users and their accounts in an application, by name',
      access: readers,
      params,
      query: listQuery({}),
      result: Type.Array(ProvisionedUser),
      status: 200,
      errors: ['ERR_NOT_CONFIGURED'],
      handle: async ({ params: { applicationId }, query, http }) => {
        const { page, shown } = listPageOf(query)
        const rows = await listAccounts(
          pool,
          await commands.configured(applicationId),
          page.limit,
          page.after,
        )
        return listReply(
          listPage(rows, shown, ({ sortKey, userId }) => ['name', sortKey, userId], http.url),
          show.account,
        )
      },
    }),
  ]
}
