import { Type } from 'typebox'
import { DomainError } from '../../domain/errors.ts'
import {
  findApplication,
  findApplicationThen,
  listApplications,
} from '../../read-models/queries/applications.ts'
import { applicationCommands } from '../commands/applications.ts'
import type { Services } from '../commands/deps.ts'
import { listQuery, page, pageReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { applicationStream } from '../../domain/application/decider.ts'
import { actorOf } from './actor.ts'
import { pastHeaders, recordOfThePast } from './past.ts'
import {
  Application,
  applicationName,
  applicationSettings,
  CreatedApplication,
  groupIds,
  toApplication,
} from './application-schemas.ts'
import { found, given, pageOf, readBack, readers, sent, sorting, writers, timeTravel } from './schemas.ts'

const tag = 'Applications'
const params = fields({ id: idOf('application') })

const types = ['web', 'spa', 'native', 'service'] as const
const type = Type.Enum([...types])

/** Accepted so that the refusal speaks of the protocol. */
const ofSaml = {
  saml: Type.Optional(Type.Object({}, { additionalProperties: true })),
  metadataXml: Type.Optional(Type.String()),
}

const invalid = (field: string, expected: string): DomainError =>
  new DomainError('ERR_INVALID', `${field}: ${expected}`, `/${field}`)

export const applicationRoutes = (services: Services): readonly Route[] => {
  const { pool } = services
  const applications = applicationCommands(services)
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
        type: Type.Optional(Type.Enum([...types, 'cli'])),
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
      summary: 'Register an application',
      description:
        'Web applications and services get a clientSecret in this answer; it cannot be read again. Until a group is ' +
        'assigned nobody can sign in to the application.',
      access: writers('app_admin'),
      body: fields({
        name: applicationName,
        protocol: Type.Enum(['oidc', 'saml']),
        type: Type.Optional(type),
        groupIds: Type.Optional(groupIds),
        ...applicationSettings,
        ...ofSaml,
      }),
      result: CreatedApplication,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['application.create', 'application.group.assign'],
      handle: async (request) => {
        const {
          protocol,
          type: applicationType,
          saml,
          metadataXml,
          groupIds: assigned = [],
          ...rest
        } = given(request.body)
        if (protocol !== 'oidc')
          throw invalid('protocol', 'expected oidc: this version offers no other protocol')
        if (applicationType === undefined)
          throw invalid('type', `is missing; expected one of ${types.join(', ')}`)
        if (saml !== undefined) throw invalid('saml', 'expected none for the protocol oidc')
        if (metadataXml !== undefined) throw invalid('metadataXml', 'expected none for the protocol oidc')
        const { applicationId, version, clientSecret } = await applications.create(
          { applicationType, settings: rest, groupIds: assigned },
          actorOf(request),
        )
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
      summary: 'Change an application',
      access: writers('app_admin'),
      params,
      body: fields({
        name: Type.Optional(applicationName),
        groupIds: Type.Optional(groupIds),
        ...applicationSettings,
      }),
      result: Application,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['application.update', 'application.group.assign', 'application.group.unassign'],
      handle: async (request) => {
        const { id } = request.params
        const { groupIds: wanted, ...settings } = sent(request.body)
        const { version } = await applications.update(id, settings, wanted, actorOf(request))
        return { body: toApplication(await readBack(read(id), version)) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/applications/{id}',
      tag,
      summary: 'Delete an application',
      description: 'Its tokens and secrets stop working before it answers.',
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
      description: 'Nobody signs in to it, and its tokens stop working before it answers.',
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
