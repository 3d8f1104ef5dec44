import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { findApplication, findSecret, secretsOf } from '../../../read-models/queries/applications.ts'
import { applicationCommands, type HandedOutSecret } from '../../application/commands/applications.ts'
import type { Services } from '../../application/services/services.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import { ClientSecret, CreatedClientSecret } from './application-schemas.ts'
import { existing, instantOf, proven, readers, Time, writers } from '../http/schemas.ts'

const tag = 'Applications'
const params = fields({ id: idOf('application') })
/** Maximum number of listed secrets. */
const SHOWN = 200

export const applicationSecretRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'reservations' | 'locks' | 'vault' | 'clock' | 'random'>,
): readonly Route[] => {
  const { pool, clock } = services
  const applications = applicationCommands(services)

  const answer = async ({ id, clientSecret }: HandedOutSecret) => {
    const row = await findSecret(pool, id, clock.now())
    if (row === null) throw new DomainError('ERR_UNAVAILABLE', 'The change is recorded but not visible yet.')
    return { ...row, clientSecret }
  }

  return [
    route({
      method: 'GET',
      path: '/applications/{id}/secrets',
      tag,
      summary: "List an application's client secrets",
      description: 'Active secrets first, then newest first. The secrets themselves cannot be read again.',
      access: readers,
      params,
      result: Type.Array(ClientSecret),
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => {
        await existing(findApplication(pool, id))
        return { body: await secretsOf(pool, id, clock.now(), SHOWN) }
      },
    }),
    route({
      method: 'POST',
      path: '/applications/{id}/secrets',
      tag,
      summary: 'Create another client secret',
      description: 'At most two can be active. The secret is shown only once.',
      access: proven(writers('app_admin')),
      params,
      body: fields({ expiresAt: Type.Optional(Type.Union([Time, Type.Null()])) }),
      result: CreatedClientSecret,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['application.secret.create'],
      handle: async (request) => {
        const { id } = request.params
        const { expiresAt } = request.body
        const until =
          expiresAt === undefined || expiresAt === null ? undefined : instantOf(expiresAt, 'expiresAt')
        const secret = await answer(await applications.createSecret(id, until, actorOf(request)))
        return created(`/api/v1/applications/${id}/secrets`, secret)
      },
    }),
    route({
      method: 'POST',
      path: '/applications/{id}/secret/rotate',
      tag,
      summary: 'Rotate the client secret',
      description:
        'The new secret works immediately. The previous secret works for graceSeconds more; older ones end immediately.',
      access: proven(writers('app_admin')),
      params,
      body: fields({
        graceSeconds: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 604_800, description: 'in seconds; default 0' }),
        ),
      }),
      result: CreatedClientSecret,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['application.secret.rotate'],
      handle: async (request) => {
        const { graceSeconds = 0 } = request.body
        const { id } = request.params
        return { body: await answer(await applications.rotateSecret(id, graceSeconds, actorOf(request))) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/applications/{id}/secrets/{secretId}',
      tag,
      summary: 'Revoke a client secret',
      access: writers('app_admin'),
      params: fields({ id: idOf('application'), secretId: idOf('clientSecret') }),
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['application.secret.revoke'],
      handle: async (request) => {
        const { id, secretId } = request.params
        await applications.revokeSecret(id, secretId, actorOf(request))
        return done
      },
    }),
  ]
}
