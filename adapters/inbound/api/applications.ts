import { Type, type Static } from 'typebox'
import {
  findApplication,
  listApplications,
  readApplicationsThen,
} from '../../../read-models/queries/applications.ts'
import { applicationsThen } from '../../../read-models/queries/past-lists.ts'
import { applicationCommands } from '../../application/commands/applications.ts'
import type { Actor } from '../../application/services/handle.ts'
import type { Services } from '../../application/services/services.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { applicationStream } from '../../../domain/application/decider.ts'
import { actorOf } from '../http/actor.ts'
import { listOfThePast, pastHeaders, recordOfThePast } from './past.ts'
import {
  Application,
  ApplicationChanges,
  ApplicationInput,
  applicationTypes,
  CreatedApplication,
  applicationRecords,
} from './application-schemas.ts'
import { atTop, completeSamlInput, SamlReplacement, samlInput } from './saml-input.ts'
import {
  existing,
  withoutNulls,
  listPageOf,
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

export const applicationRoutes = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'reservations' | 'locks' | 'vault' | 'clock' | 'random' | 'publicUrl' | 'pastRecord'
  >,
): readonly Route[] => {
  const { pool, clock } = services
  const toApplication = applicationRecords(services.publicUrl)
  const applications = applicationCommands(services)
  const read = (id: string) => findApplication(pool, id)

  const create = async (body: Static<typeof ApplicationInput>, actor: Actor) => {
    const { groupIds = [], ...sentFields } = withoutNulls(body)
    if (sentFields.protocol === 'saml') {
      const {
        protocol: _,
        saml,
        metadataXml,
        ...settings
      } = { saml: {}, metadataXml: undefined, ...sentFields }
      const input = completeSamlInput(samlInput(saml), metadataXml, new Date(clock.now()))
      const made = await applications.createSaml({ fields: settings, saml: input, groupIds }, actor)
      return { ...made, clientSecret: undefined }
    }
    const { protocol: _, type: applicationType, ...settings } = sentFields
    return applications.create({ applicationType, settings, groupIds }, actor)
  }

  return [
    route({
      method: 'GET',
      path: '/applications',
      tag,
      summary: 'List applications',
      description: 'With `at`, the order is by id, and `sort` cannot be sent.',
      access: readers,
      query: listQuery({
        ...sorting,
        ...timeTravel,
        status: Type.Optional(Type.Enum(['active', 'disabled'])),
        protocol: Type.Optional(Type.Enum(['oidc', 'saml'])),
        type: Type.Optional(Type.Enum([...applicationTypes])),
        groupId: Type.Optional(idOf('group')),
      }),
      result: Type.Array(Application),
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
              ids: (client, past, page) => applicationsThen(client, past, query, page),
              stream: applicationStream,
              read: readApplicationsThen,
            },
          )
          return listReply(list, toApplication)
        }
        const { page, shown, toCursor } = listPageOf(query)
        const rows = await listApplications(pool, query, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) =>
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
      body: ApplicationInput,
      result: CreatedApplication,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['application.create', 'application.group.assign'],
      handle: async (request) => {
        const { applicationId, version, clientSecret } = await create(request.body, actorOf(request))
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
        if (at === undefined) return { body: toApplication(await existing(read(id))) }
        const { row, headers } = await recordOfThePast(
          services,
          applicationStream(id),
          at,
          readApplicationsThen,
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
      body: ApplicationChanges,
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
      body: SamlReplacement,
      result: Application,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['application.saml.update'],
      handle: async (request) => {
        const { id } = request.params
        const { metadataXml, ...settings } = { metadataXml: undefined, ...request.body }
        const saml = completeSamlInput(samlInput(settings), metadataXml, new Date(clock.now()))
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
