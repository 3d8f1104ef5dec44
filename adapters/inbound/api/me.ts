import { Type } from 'typebox'
import { membershipVias } from '../../../domain/membership/events.ts'
import { groupsOf } from '../../../read-models/queries/account.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import { applicationLogoUrl } from '../../application/services/logo-path.ts'
import type { Services } from '../../application/services/services.ts'
import { userCommands, type UserServices } from '../../application/commands/users.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { launchAddress, ownApplications } from './own-applications.ts'
import { sendConfirmation } from '../../application/sign-in/verify-address.ts'
import { actorOf } from '../http/actor.ts'
import { meCodeRoutes } from './me-codes.ts'
import { meMethodRoutes } from './me-methods.ts'
import { meSshRoutes } from './me-ssh.ts'
import { meSessionRoutes } from './me-sessions.ts'
import { existing, line, readBack, sent } from '../http/schemas.ts'
import { checkProfile, optionalProfile, toUser, User } from './user-schemas.ts'

const tag = 'Account'
const person = { credentials: ['session', 'cli_token'] } as const
const session = { credentials: ['session'] } as const

const text = Type.Union([Type.String(), Type.Null()])

/** Routes for the signed-in user's own record and access. */
export const meRoutes = (services: UserServices & Pick<Services, 'development'>): readonly Route[] => {
  const { pool, clock } = services
  const users = userCommands(services)
  const applications = ownApplications(services)
  const confirm = sendConfirmation(services)

  const me = (userId: string) => findUser(pool, userId, clock.now())

  return [
    route({
      method: 'GET',
      path: '/me',
      tag,
      summary: 'Get your user',
      access: session,
      result: User,
      status: 200,
      errors: ['ERR_NOT_FOUND'],
      handle: async ({ caller }) => ({ body: toUser(await existing(me(caller.userId))) }),
    }),
    route({
      method: 'PATCH',
      path: '/me',
      tag,
      summary: 'Update your name, language or time zone',
      access: session,
      body: fields({
        name: Type.Optional(line(200, 'Ada Lovelace')),
        locale: optionalProfile.locale,
        timeZone: optionalProfile.timeZone,
      }),
      result: User,
      status: 200,
      errors: ['ERR_NOT_FOUND', 'ERR_CONFLICT', 'ERR_STALE'],
      audit: ['user.update'],
      handle: async (request) => {
        const { body, caller } = request
        checkProfile(body)
        // Users may always change their own account, so the rule about administrators' accounts does not apply.
        const { version } = await users.update(caller.userId, sent(body), 'system', actorOf(request))
        return { body: toUser(await readBack(me(caller.userId), version)) }
      },
    }),
    route({
      method: 'GET',
      path: '/me/applications',
      tag,
      summary: 'List applications that you can use',
      access: person,
      result: Type.Array(
        Type.Object({
          id: idOf('application'),
          name: Type.String(),
          description: text,
          logoUrl: text,
          launchUrl: text,
        }),
      ),
      status: 200,
      errors: [],
      handle: async ({ caller }) => ({
        body: (await applications(caller.userId)).map((application) => ({
          id: application.id as `app_${string}`,
          name: application.name,
          description: application.settings.description ?? null,
          logoUrl: applicationLogoUrl(application, services.publicUrl) ?? null,
          launchUrl: launchAddress(application, services.publicUrl) ?? null,
        })),
      }),
    }),
    route({
      method: 'GET',
      path: '/me/groups',
      tag,
      summary: 'List your groups',
      access: person,
      result: Type.Array(
        Type.Object({
          id: idOf('group'),
          name: Type.String(),
          description: text,
          via: Type.Array(Type.Enum([...membershipVias])),
        }),
      ),
      status: 200,
      errors: [],
      handle: async ({ caller }) => ({
        body: (await groupsOf(pool, caller.userId, clock.now())).map((group) => ({
          ...group,
          id: group.id as `grp_${string}`,
        })),
      }),
    }),
    route({
      method: 'POST',
      path: '/me/verify-email',
      tag,
      summary: 'Send the email that confirms your address again',
      description: 'At most once in five minutes; further requests send nothing.',
      access: session,
      status: 204,
      errors: ['ERR_NOT_FOUND', 'ERR_CONFLICT'],
      handle: async ({ caller }) => {
        const { email, emailVerified } = await existing(me(caller.userId))
        await confirm({ userId: caller.userId, email, emailVerified })
        return done
      },
    }),
    ...meMethodRoutes(services),
    ...meCodeRoutes(services),
    ...meSessionRoutes(services),
    ...meSshRoutes(services),
  ]
}
