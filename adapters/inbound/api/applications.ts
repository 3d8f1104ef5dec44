import { Type } from 'typebox'
import {
  findApplication,
  findApplicationThen,
  listApplications,
} from '../../../read-models/queries/applications.ts'
import { applicationCommands } from '../../application/commands/applications.ts'
import type { Services } from '../../application/services/services.ts'
import { listQuery, page, pageReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { applicationStream } from '../../../domain/application/decider.ts'
import { actorOf } from '../http/actor.ts'
import { pastHeaders, recordOfThePast } from './past.ts'
import { registrableTypes, registration } from './application-registration.ts'
import {
  Application,
  applicationName,
  applicationSettings,
  CreatedApplication,
  groupIds,
  toApplication,
} from './application-schemas.ts'
import { atTop, completeSamlInput, metadataXml, samlFields, samlInput } from './saml-input.ts'
import {
  clearable,
  found,
  given,
  pageOf,
  proven,
  readBack,
  readers,
  sent,
  sorting,
  timeTravel,
  writers,
} from '../http/schemas.ts'

const tag = 'Applications'
const params = fields({ id: idOf('application') })

const type = Type.Enum([...registrableTypes])
const protocol = Type.Enum(['oidc', 'saml'])

export const applicationRoutes = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'reservations' | 'locks' | 'vault' | 'clock' | 'random' | 'pastRecord'
  >,
): readonly Route[] => {
  const { pool, clock } = services
  const applications = applicationCommands(services)
  const register = registration(services)
  const read = (id: string) => findApplication(pool, id)

  return [
    route({
      method: 'GET',
      path: '/applications',
      tag,
      summary: 'List applications',
      access: readers,
      query: listQuery({
        ...sorting,
        status: Type.Optional(Type.Enum(['active', 'disabled'])),
        protocol: Type.Optional(protocol),
        type: Type.Optional(Type.Enum([...registrableTypes, 'cli'])),
        groupId: Type.Optional(idOf('group')),
      }),
      result: Type.Array(Application),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page: asked, shown, toCursor } = pageOf(query)
        const rows = await listApplications(pool, query, asked)
        return pageReply(page(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) =>
          toApplication(row),
        )
      },
    }),
    route({
      method: 'POST',
      path: '/applications',
      tag,
      summary: 'Create an application',
      description:
        'OpenID Connect applications have a type. Web applications and services get a clientSecret in this response, ' +
        'which cannot be read again. SAML applications have saml, or metadataXml in place of its entityId and ' +
        'acsUrls. Nobody can sign in to the application until a group is assigned to it.',
      access: proven(writers('app_admin')),
      body: fields({
        name: applicationName,
        protocol,
        type: clearable(type),
        groupIds: Type.Optional(groupIds),
        ...applicationSettings,
        saml: Type.Optional(fields(samlFields)),
        metadataXml,
      }),
      result: CreatedApplication,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['application.create', 'application.group.assign'],
      handle: async (request) => {
        const { protocol: chosen, groupIds: assigned = [], ...rest } = given(request.body)
        const { applicationId, version, clientSecret } =
          chosen === 'saml'
            ? await register.saml(rest, assigned, actorOf(request))
            : await register.oidc(rest, assigned, actorOf(request))
        const row = await readBack(read(applicationId), version)
        return created(`/api/v1/applications/${applicationId}`, {
          ...toApplication(row),
          ...(clientSecret === undefined ? {} : { clientSecret }),
        })
      },
    }),
    route({
      method: 'GET',
      path: '/applications/{id}',
      tag,
      summary: 'Read an application',
      access: readers,
      params,
      query: fields(timeTravel),
      result: Application,
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query: { at } }) => {
        if (at === undefined) return { body: toApplication(await found(read(id))) }
        const { row, headers } = await recordOfThePast(
          services,
          applicationStream(id),
          at,
          findApplicationThen,
        )
        return { body: toApplication(row), headers }
      },
    }),
    route({
      method: 'PATCH',
      path: '/applications/{id}',
      tag,
      summary: 'Update an application',
      access: proven(
        writers('app_admin'),
        'redirectUris',
        'postLogoutRedirectUris',
        'backchannelLogoutUri',
        'allowedOrigins',
        'requirePkce',
      ),
      params,
      body: fields({
        name: Type.Optional(applicationName),
        groupIds: Type.Optional(groupIds),
        ...applicationSettings,
        saml: Type.Optional(fields(samlFields)),
      }),
      result: Application,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: [
        'application.update',
        'application.saml.update',
        'application.group.assign',
        'application.group.unassign',
      ],
      handle: async (request) => {
        const { id } = request.params
        const { groupIds: wanted, saml, ...settings } = sent(request.body)
        const { version } = await applications.update(
          id,
          { settings, groupIds: wanted, saml: saml === undefined ? undefined : samlInput(saml) },
          actorOf(request),
        )
        return { body: toApplication(await readBack(read(id), version)) }
      },
    }),
    route({
      method: 'PUT',
      path: '/applications/{id}/saml',
      tag,
      summary: 'Replace the SAML settings of an application',
      description:
        'Omitted fields are reset to their defaults. With metadataXml, the entityId and acsUrls are read from it.',
      access: proven(writers('app_admin')),
      params,
      body: fields({ ...samlFields, metadataXml }),
      result: Application,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['application.saml.update'],
      handle: async (request) => {
        const { id } = request.params
        const { metadataXml: xml, ...settings } = request.body
        const saml = completeSamlInput(samlInput(settings), xml, new Date(clock.now()), '')
        const { version } = await atTop(() => applications.replaceSaml(id, saml, actorOf(request)))
        return { body: toApplication(await readBack(read(id), version)) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/applications/{id}',
      tag,
      summary: 'Delete an application',
      description: 'Its tokens and secrets stop working before the response is sent.',
      access: writers('app_admin'),
      params,
      status: 204,
      errors: ['ERR_BUILT_IN', 'ERR_CONFLICT', 'ERR_STALE'],
      audit: ['application.delete'],
      handle: async (request) => {
        await applications.delete(request.params.id, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/applications/{id}/disable',
      tag,
      summary: 'Disable an application',
      description:
        'Users can no longer sign in to it, and its tokens stop working before the response is sent.',
      access: writers('app_admin'),
      params,
      status: 204,
      errors: ['ERR_BUILT_IN', 'ERR_CONFLICT', 'ERR_STALE'],
      audit: ['application.disable'],
      handle: async (request) => {
        await applications.disable(request.params.id, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/applications/{id}/enable',
      tag,
      summary: 'Enable an application',
      access: writers('app_admin'),
      params,
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['application.enable'],
      handle: async (request) => {
        await applications.enable(request.params.id, actorOf(request))
        return done
      },
    }),
  ]
}
