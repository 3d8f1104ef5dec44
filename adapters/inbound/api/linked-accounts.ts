import { Type } from 'typebox'
import { linkedAccountsOf } from '../../../read-models/queries/linked-accounts.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import { userCommands, type UserServices } from '../../application/commands/users.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import { existing, nullable, proven, readers, Time, writers } from '../http/schemas.ts'

const person = { credentials: ['session', 'cli_token'] } as const

export const LinkedAccount = Type.Object(
  {
    id: idOf('linkedAccount'),
    identityProviderId: Type.String(),
    email: nullable(Type.String({ description: 'as returned by the identity provider' })),
    linkedAt: Time,
    lastUsedAt: nullable(Time),
    providerName: nullable(Type.String({ description: 'null if the provider no longer exists' })),
  },
  { title: 'LinkedAccount' },
)

/**
 * Routes for the accounts at identity providers that users sign in with: their own and, for administrators, those of
 * all users.
 */
export const linkedAccountRoutes = (services: UserServices): readonly Route[] => {
  const { pool, clock } = services
  const users = userCommands(services)

  return [
    route({
      method: 'GET',
      path: '/me/linked-accounts',
      tag: 'Account',
      summary: 'List your linked accounts',
      access: person,
      result: Type.Array(LinkedAccount),
      status: 200,
      errors: [],
      handle: async ({ caller }) => ({ body: await linkedAccountsOf(pool, caller.userId) }),
    }),
    route({
      method: 'DELETE',
      path: '/me/linked-accounts/{id}',
      tag: 'Account',
      summary: 'Unlink one of your linked accounts',
      description:
        'Requires a sign-in within the last ten minutes. The last sign-in method cannot be removed.',
      access: proven(person),
      params: fields({ id: idOf('linkedAccount') }),
      status: 204,
      errors: ['ERR_LAST_METHOD', 'ERR_CONFLICT'],
      audit: ['linked_account.remove'],
      handle: async (request) => {
        const { params, caller } = request
        await users.unlinkAccount(caller.userId, params.id, 'self', actorOf(request))
        return done
      },
    }),
    route({
      method: 'GET',
      path: '/users/{id}/linked-accounts',
      tag: 'Users',
      summary: "List a user's linked accounts",
      access: readers,
      params: fields({ id: idOf('user') }),
      result: Type.Array(LinkedAccount),
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => {
        await existing(findUser(pool, id, clock.now()))
        return { body: await linkedAccountsOf(pool, id) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/users/{id}/linked-accounts/{linkId}',
      tag: 'Users',
      summary: "Unlink a user's linked account",
      description: 'The last sign-in method cannot be removed.',
      access: proven(writers('user_admin', 'security_admin')),
      params: fields({ id: idOf('user'), linkId: idOf('linkedAccount') }),
      status: 204,
      errors: ['ERR_LAST_METHOD', 'ERR_CONFLICT'],
      audit: ['linked_account.remove'],
      handle: async (request) => {
        const { params, caller } = request
        await users.unlinkAccount(params.id, params.linkId, caller.roles, actorOf(request))
        return done
      },
    }),
  ]
}
