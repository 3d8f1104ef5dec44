import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { listSigningKeys } from '../../../read-models/queries/signing-keys.ts'
import type { Services } from '../../application/services/services.ts'
import { signingKeyCommands } from '../../application/commands/signing-keys.ts'
import { idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import { nullable, proven, readers, Time, writers } from '../http/schemas.ts'

const tag = 'Signing keys'

export const SigningKey = Type.Object(
  {
    id: idOf('signingKey'),
    kid: Type.String({ description: 'As in the key set and in token headers' }),
    alg: Type.Enum(['RS256']),
    status: Type.Enum(['next', 'active', 'previous', 'retired']),
    createdAt: Time,
    activatedAt: nullable(Time),
    retiresAt: nullable(Time),
  },
  { title: 'SigningKey' },
)

export const signingKeyRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'vault' | 'clock' | 'newRsaKey' | 'configuration'>,
): readonly Route[] => {
  const { pool } = services
  const { rotate } = signingKeyCommands(services)

  return [
    route({
      method: 'GET',
      path: '/signing-keys',
      tag,
      summary: 'List the signing keys of tokens, newest first',
      access: readers,
      result: Type.Array(SigningKey),
      status: 200,
      errors: [],
      handle: async () => ({ body: await listSigningKeys(pool) }),
    }),
    route({
      method: 'POST',
      path: '/signing-keys/rotate',
      tag,
      summary: 'Rotate the signing key',
      description:
        'The next key, published since the last rotation, signs from now on. The previous key stays in the ' +
        'key set for 7 days.',
      access: proven(writers('global_admin')),
      result: SigningKey,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['signing_key.rotate'],
      handle: async (request) => {
        const active = await rotate(actorOf(request))
        const shown = (await listSigningKeys(pool)).find(({ id }) => id === active)
        if (shown?.status !== 'active')
          throw new DomainError(
            'ERR_UNAVAILABLE',
            'The rotation is recorded but not visible yet. Do not send it again.',
          )
        return { body: shown }
      },
    }),
  ]
}
