import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { methodsOf, type MethodRow } from '../../../read-models/queries/account.ts'
import { userCommands, type UserServices } from '../../application/commands/users.ts'
import type { PersonCaller } from '../http/caller.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { passkeyRegistration } from '../../application/sign-in/webauthn/registration.ts'
import { actorOf } from '../http/actor.ts'
import {
  Ceremony,
  DEFAULT_PASSKEY_NAME,
  PasskeyName,
  RegistrationBody,
  RegistrationKind,
} from './auth-schemas.ts'
import { proven } from '../http/schemas.ts'

const tag = 'Account'
const person = { credentials: ['session', 'cli_token'] } as const
const params = fields({ id: idOf('method') })

export const Method = Type.Object(
  {
    id: idOf('method'),
    type: Type.Enum(['passkey', 'security_key', 'authenticator_code']),
    name: Type.String(),
    backedUp: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'true if a passkey provider syncs it to other devices; null for an authenticator app',
    }),
    createdAt: Type.String({ format: 'date-time' }),
    lastUsedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'OwnMethod' },
)

export const toMethod = ({ credentialId: _, id, ...row }: MethodRow) => ({
  ...row,
  id: id as `mth_${string}`,
})

/** Identifies the session that adds a method: no other session can complete it. */
export const placeOf = (caller: PersonCaller): string => `person|${caller.userId}|${caller.sessionId ?? ''}`

/** Routes for the signed-in user's sign-in methods. */
export const meMethodRoutes = (services: UserServices): readonly Route[] => {
  const { pool } = services
  const users = userCommands(services)
  const passkeys = passkeyRegistration(services)

  const method = async (userId: string, id: string) => {
    const methodRow = (await methodsOf(pool, userId)).find((row) => row.id === id)
    if (methodRow === undefined) throw new DomainError('ERR_NOT_FOUND')
    return toMethod(methodRow)
  }

  return [
    route({
      method: 'GET',
      path: '/me/methods',
      tag,
      summary: 'List your sign-in methods',
      access: person,
      result: Type.Array(Method),
      status: 200,
      errors: [],
      handle: async ({ caller }) => ({ body: (await methodsOf(pool, caller.userId)).map(toMethod) }),
    }),
    route({
      method: 'POST',
      path: '/me/methods/passkey/options',
      tag,
      summary: 'Start adding a passkey or security key',
      access: proven(person),
      body: RegistrationKind,
      result: Ceremony,
      status: 200,
      errors: ['ERR_FORBIDDEN'],
      handle: async ({ caller, body }) => {
        const { userId, name, email } = caller
        const existing = await methodsOf(pool, userId)
        return { body: await passkeys.begin({ userId, name, email }, placeOf(caller), existing, body.kind) }
      },
    }),
    route({
      method: 'POST',
      path: '/me/methods/passkey/verify',
      tag,
      summary: 'Add a passkey',
      access: proven(person),
      body: RegistrationBody,
      result: Method,
      status: 201,
      errors: [
        'ERR_CEREMONY_EXPIRED',
        'ERR_REGISTRATION_FAILED',
        'ERR_FORBIDDEN',
        'ERR_ACCOUNT_SUSPENDED',
        'ERR_NOT_FOUND',
      ],
      audit: ['method.add'],
      handle: async (request) => {
        const { body, caller } = request
        const { method: added } = await passkeys.finish(
          { ...body, name: body.name ?? DEFAULT_PASSKEY_NAME },
          placeOf(caller),
          caller.userId,
        )
        await users.addMethod(caller.userId, added, actorOf(request))
        return created(`/api/v1/me/methods/${added.methodId}`, await method(caller.userId, added.methodId))
      },
    }),
    route({
      method: 'PATCH',
      path: '/me/methods/{id}',
      tag,
      summary: 'Rename a sign-in method',
      access: person,
      params,
      body: fields({ name: PasskeyName }),
      result: Method,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['method.rename'],
      handle: async (request) => {
        const { params: pathParams, body, caller } = request
        await users.renameMethod(caller.userId, pathParams.id, body.name, actorOf(request))
        return { body: await method(caller.userId, pathParams.id) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/me/methods/{id}',
      tag,
      summary: 'Remove a sign-in method',
      description:
        'The last one cannot be removed. Sessions that were started with it, possibly including this one, end before the response is sent.',
      access: proven(person),
      params,
      status: 204,
      errors: ['ERR_LAST_METHOD', 'ERR_CONFLICT'],
      audit: ['method.remove'],
      handle: async (request) => {
        const { params: pathParams, caller } = request
        await users.removeMethod(caller.userId, pathParams.id, 'self', actorOf(request))
        return done
      },
    }),
  ]
}
