import { Type } from 'typebox'
import {
  findProvisioning,
  listAccounts,
  listProvisioning,
} from '../../../read-models/queries/provisioning.ts'
import type { Services } from '../../application/services/services.ts'
import { provisioningCommands } from '../../outbound/provisioning/commands.ts'
import { listQuery, page, pageReply } from '../http/cursor.ts'
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
import { pageOf, proven, readBack, readers, writers } from '../http/schemas.ts'

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
      summary: 'List the applications that people are pushed into, by name',
      access: readers,
      query: listQuery({}),
      result: Type.Array(Provisioning),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page: asked, shown } = pageOf(query)
        const rows = await listProvisioning(pool, asked.limit, asked.after)
        return pageReply(
          page(rows, shown, ({ sortKey, applicationId }) => ['name', sortKey, applicationId], http.url),
          ({ sortKey: _, ...row }) => show.provisioning(row),
        )
      },
    }),
    route({
      method: 'GET',
      path,
      tag,
      summary: 'Read how people are pushed into an application',
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
      summary: 'Set up, or change, how people are pushed into an application',
      description:
        'Replaces all of it; a token that is left out stays, unless the base URL is on another server. ' +
        'With another base URL, accounts are linked anew.',
      access: proven(managers),
      params,
      body: fields({
        baseUrl,
        token: Type.Optional(scimToken),
        authScheme: Type.Optional(authScheme),
        enabled: Type.Optional(Type.Boolean({ description: 'true when left out' })),
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
      summary: 'Push nobody into an application any more',
      description: 'Accounts there stay as they are.',
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
      summary: "Ask the application's SCIM service for one user",
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
      summary: 'Push everybody who is out of place, now',
      description: 'Also those whose last push failed and who would be waited with.',
      access: managers,
      params,
      result: Type.Object({ runId: idOf('provisioningRun') }, { title: 'ProvisioningRun' }),
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
      summary: 'Go on after a pause, and deactivate as many accounts as it was paused over',
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
      summary: 'List people and their accounts in an application, by name',
      access: readers,
      params,
      query: listQuery({}),
      result: Type.Array(ProvisionedUser),
      status: 200,
      errors: ['ERR_NOT_CONFIGURED'],
      handle: async ({ params: { applicationId }, query, http }) => {
        const { page: asked, shown } = pageOf(query)
        const rows = await listAccounts(
          pool,
          await commands.configured(applicationId),
          asked.limit,
          asked.after,
        )
        return pageReply(
          page(rows, shown, ({ sortKey, userId }) => ['name', sortKey, userId], http.url),
          show.account,
        )
      },
    }),
  ]
}
