import { Type } from 'typebox'
import { methodsOf } from '../../../read-models/queries/account.ts'
import { recoveryCodesOf } from '../../../read-models/queries/typed-codes.ts'
import { DomainError } from '../../../domain/errors.ts'
import { userCommands, type UserServices } from '../../application/commands/users.ts'
import { created, route, type Route } from '../http/route.ts'
import { methodAllowed, mustBeAllowed } from '../../application/sign-in/allowed-methods.ts'
import { recoveryCodeMaker } from '../../application/sign-in/recovery-codes.ts'
import { authenticatorCode } from '../../application/sign-in/typed-codes.ts'
import { authenticatorSetup } from '../../application/sign-in/totp/setup.ts'
import { actorOf } from '../http/actor.ts'
import {
  AuthenticatorBody,
  AuthenticatorSetup,
  DEFAULT_AUTHENTICATOR_NAME,
  RecoveryCodes,
} from './auth-schemas.ts'
import { Method, placeOf, toMethod } from './me-methods.ts'
import { nullable, proven, Time } from '../http/schemas.ts'

const tag = 'Account'
const person = { credentials: ['session', 'cli_token'] } as const

const AddedAuthenticator = Type.Object(
  { ...Method.properties, recoveryCodes: nullable(RecoveryCodes) },
  { title: 'AddedAuthenticator' },
)

/** Routes for the signed-in user's authenticator apps and recovery codes. */
export const meCodeRoutes = (services: UserServices): readonly Route[] => {
  const { pool } = services
  const users = userCommands(services)
  const setup = authenticatorSetup(services)
  const newRecoveryCodes = recoveryCodeMaker(services)

  return [
    route({
      method: 'POST',
      path: '/me/methods/authenticator',
      tag,
      summary: 'Start adding an authenticator app',
      access: proven(person),
      result: AuthenticatorSetup,
      status: 200,
      errors: ['ERR_FORBIDDEN'],
      handle: async ({ caller }) => {
        await mustBeAllowed(services, 'authenticator_code', caller.userId)
        return { body: setup.begin(caller, placeOf(caller)) }
      },
    }),
    route({
      method: 'POST',
      path: '/me/methods/authenticator/verify',
      tag,
      summary: 'Add an authenticator app',
      description: 'A user without recovery codes gets new ones, which are shown only once.',
      access: proven(person),
      body: AuthenticatorBody,
      result: AddedAuthenticator,
      status: 201,
      errors: [
        'ERR_CEREMONY_EXPIRED',
        'ERR_CODE_MISMATCH',
        'ERR_FORBIDDEN',
        'ERR_ACCOUNT_SUSPENDED',
        'ERR_CONFLICT',
        'ERR_NOT_FOUND',
      ],
      audit: ['method.add', 'recovery_codes.generate'],
      handle: async (request) => {
        const { body, caller } = request
        const { userId } = caller
        await mustBeAllowed(services, 'authenticator_code', userId)
        const { method } = await setup.finish(
          {
            ceremonyId: body.ceremonyId,
            code: authenticatorCode(body.code),
            name: body.name ?? DEFAULT_AUTHENTICATOR_NAME,
          },
          placeOf(caller),
        )
        const actor = actorOf(request)
        const recovery = (await methodAllowed(services, 'recovery_codes', userId))
          ? newRecoveryCodes(userId, actor)
          : null
        const { state } = await users.addMethod(userId, method, actor, recovery?.hashes)
        const added = (await methodsOf(pool, userId)).find(({ id }) => id === method.methodId)
        if (added === undefined) throw new DomainError('ERR_NOT_FOUND')
        const [first = ''] = recovery?.hashes ?? []
        return created(`/api/v1/me/methods/${added.id}`, {
          ...toMethod(added),
          recoveryCodes: recovery !== null && state.recoveryCodes.includes(first) ? recovery.codes : null,
        })
      },
    }),
    route({
      method: 'GET',
      path: '/me/methods/recovery-codes',
      tag,
      summary: 'Get the number of your remaining recovery codes',
      access: person,
      result: Type.Object(
        { remaining: Type.Integer(), generatedAt: nullable(Time) },
        { title: 'RecoveryCodesLeft' },
      ),
      status: 200,
      errors: [],
      handle: async ({ caller }) => ({
        body: (await recoveryCodesOf(pool, caller.userId)) ?? { remaining: 0, generatedAt: null },
      }),
    }),
    route({
      method: 'POST',
      path: '/me/methods/recovery-codes',
      tag,
      summary: 'Create new recovery codes',
      description: 'The previous codes stop working. The new ones are shown only once.',
      access: proven(person),
      result: Type.Object({ recoveryCodes: RecoveryCodes, generatedAt: Time }, { title: 'NewRecoveryCodes' }),
      status: 201,
      errors: ['ERR_FORBIDDEN', 'ERR_ACCOUNT_SUSPENDED', 'ERR_CONFLICT', 'ERR_NOT_FOUND'],
      audit: ['recovery_codes.generate'],
      handle: async (request) => {
        const { caller } = request
        const { userId } = caller
        await mustBeAllowed(services, 'recovery_codes', userId)
        const actor = actorOf(request)
        const { codes, hashes } = newRecoveryCodes(userId, actor)
        await users.generateRecoveryCodes(userId, hashes, actor)
        const kept = await recoveryCodesOf(pool, userId)
        if (kept === null) throw new DomainError('ERR_NOT_FOUND')
        const { generatedAt } = kept
        return created('/api/v1/me/methods/recovery-codes', { recoveryCodes: codes, generatedAt })
      },
    }),
  ]
}
