import { Type } from 'typebox'
import { DomainError } from '../../domain/errors.ts'
import { roleKeys, roles } from '../../domain/roles.ts'
import {
  groupsOf,
  methodsOf,
  ownProfile,
  type MethodRow,
  type OwnProfile,
} from '../../read-models/queries/account.ts'
import type { Services } from '../commands/deps.ts'
import { userCommands } from '../commands/users.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { ownApplications } from '../session/own-applications.ts'
import { actorOf } from './actor.ts'
import { nameOf } from './auth-schemas.ts'
import { meMethodRoutes } from './me-methods.ts'
import { meSessionRoutes } from './me-sessions.ts'

const tag = 'Account'
const person = { credentials: ['session', 'cli_token'] } as const
const session = { credentials: ['session'] } as const

const text = Type.Union([Type.String(), Type.Null()])
const time = Type.String({ format: 'date-time' })

const Me = Type.Object(
  {
    id: idOf('user'),
    kind: Type.Literal('person'),
    email: Type.String(),
    emailVerified: Type.Boolean(),
    name: Type.String(),
    givenName: text,
    familyName: text,
    department: text,
    title: text,
    location: text,
    phone: text,
    locale: text,
    timeZone: text,
    status: Type.Enum(['invited', 'active', 'suspended', 'deleted']),
    roles: Type.Array(Type.String(), { description: 'display names' }),
    roleKeys: Type.Array(Type.Enum([...roleKeys])),
    methods: Type.Array(Type.Object({ type: Type.String() })),
    mfaStrength: Type.Enum(['none', 'phishing_resistant']),
    createdAt: time,
    updatedAt: time,
    version: Type.Integer(),
  },
  { title: 'Me' },
)

const toMe = ({ id, roles: held, ...profile }: OwnProfile, methods: readonly MethodRow[]) => ({
  ...profile,
  id: id as `usr_${string}`,
  kind: 'person' as const,
  roles: held.map((key) => roles[key]),
  roleKeys: held,
  methods: methods.map(({ type }) => ({ type })),
  mfaStrength: methods.length > 0 ? ('phishing_resistant' as const) : ('none' as const),
})

const succeeds = (attempt: () => unknown): boolean => {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

/** @throws DomainError ERR_INVALID */
const checkPreferences = ({
  locale,
  timeZone,
}: {
  readonly locale?: string | null
  readonly timeZone?: string | null
}) => {
  if (typeof locale === 'string' && !succeeds(() => Intl.getCanonicalLocales(locale)))
    throw new DomainError(
      'ERR_INVALID',
      'locale: expected a language tag (BCP 47), for example en-GB',
      '/locale',
    )
  if (typeof timeZone === 'string' && !succeeds(() => new Intl.DateTimeFormat('en', { timeZone })))
    throw new DomainError(
      'ERR_INVALID',
      'timeZone: expected a time zone (IANA), for example Europe/London',
      '/timeZone',
    )
}

/** The signed-in person's own record, and what they may reach. */
export const meRoutes = (services: Services): readonly Route[] => {
  const { pool, clock } = services
  const users = userCommands(services)
  const applications = ownApplications(services)

  const me = async (userId: string) => {
    const [profile, methods] = await Promise.all([ownProfile(pool, userId), methodsOf(pool, userId)])
    if (profile === null) throw new DomainError('ERR_NOT_FOUND')
    return toMe(profile, methods)
  }

  return [
    route({
      method: 'GET',
      path: '/me',
      tag,
      summary: 'Yourself',
      access: session,
      result: Me,
      status: 200,
      errors: ['ERR_NOT_FOUND'],
      handle: async ({ caller }) => ({ body: await me(caller.userId) }),
    }),
    route({
      method: 'PATCH',
      path: '/me',
      tag,
      summary: 'Change your name, language or time zone',
      access: session,
      body: fields({
        name: Type.Optional(nameOf(200, 'Ada Lovelace')),
        locale: Type.Optional(Type.Union([Type.String({ maxLength: 35, examples: ['en-GB'] }), Type.Null()])),
        timeZone: Type.Optional(
          Type.Union([Type.String({ maxLength: 64, examples: ['Europe/London'] }), Type.Null()]),
        ),
      }),
      result: Me,
      status: 200,
      errors: ['ERR_NOT_FOUND', 'ERR_CONFLICT'],
      audit: ['user.update'],
      handle: async (request) => {
        const { body, caller } = request
        checkPreferences(body)
        // The rule about who may act on an administrator's account is not about one's own.
        await users.update(caller.userId, body, 'system', actorOf(request))
        return { body: await me(caller.userId) }
      },
    }),
    route({
      method: 'GET',
      path: '/me/applications',
      tag,
      summary: 'Applications that you may use',
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
        body: (await applications(caller.userId)).map(({ id, name, settings }) => ({
          id: id as `app_${string}`,
          name,
          description: settings.description ?? null,
          logoUrl: settings.logoUrl ?? null,
          launchUrl: settings.launchUrl ?? null,
        })),
      }),
    }),
    route({
      method: 'GET',
      path: '/me/groups',
      tag,
      summary: 'Groups that you are in',
      access: person,
      result: Type.Array(
        Type.Object({
          id: idOf('group'),
          name: Type.String(),
          description: text,
          via: Type.Array(Type.Enum(['assigned', 'rule', 'package', 'scim', 'lifecycle'])),
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
    ...meMethodRoutes(services),
    ...meSessionRoutes(services),
  ]
}
