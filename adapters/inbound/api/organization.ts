import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import { SHORTENED_AFTER_DAYS, signInDays } from '../../../domain/retention.ts'
import { defaultSettings } from '../../../domain/organization/decider.ts'
import { canBreakGlass } from '../../../read-models/queries/administrators.ts'
import { readSettings } from '../../../read-models/queries/organization.ts'
import { readOverview } from '../../../read-models/queries/overview.ts'
import { logoPath } from '../../application/services/logo-path.ts'
import type { Services } from '../../application/services/services.ts'
import { updateSettings } from '../../application/commands/organization.ts'
import { isStrong } from '../http/caller.ts'
import { sessionMoment } from '../../application/services/moment.ts'
import { readRange, writeRange } from '../../kernel/address-ranges.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import {
  clearable,
  EmailAddress,
  line,
  nullable,
  printable,
  proven,
  readBack,
  readers,
  sent,
  Time,
  Version,
  writers,
} from '../http/schemas.ts'

const minutes = Type.Integer({ minimum: 1, maximum: 1440, description: 'minutes' })

const idle = { minimum: 5, maximum: 43_200 }

const codeLockout = {
  maxAttempts: Type.Integer({ minimum: 3, maximum: 20, description: 'wrong codes within the window' }),
  windowMinutes: minutes,
  lockoutMinutes: minutes,
}

export const Settings = Type.Object(
  {
    organizationName: Type.String(),
    supportEmail: nullable(Type.String()),
    sessionLifetimeMinutes: Type.Integer(),
    sessionIdleMinutes: nullable(Type.Integer()),
    administratorIdleMinutes: Type.Integer(),
    inviteLifetimeHours: Type.Integer(),
    magicLinkMinutes: Type.Integer(),
    codeLockout: Type.Object(codeLockout),
    apiKeyMaxDays: nullable(Type.Integer()),
    requireStrongForAdmins: Type.Boolean(),
    breakGlassUserId: nullable(idOf('user')),
    trustedProxies: Type.Array(Type.String()),
    signInEventRetentionDays: Type.Integer(),
    updatedAt: nullable(Time),
    version: Version,
  },
  { title: 'Settings' },
)

/** The settings that administrators change. */
export const SettingsInput = fields({
  organizationName: Type.Optional(line(100, 'Example Ltd')),
  supportEmail: clearable(EmailAddress),
  sessionLifetimeMinutes: Type.Optional(
    Type.Integer({ minimum: 5, maximum: 43_200, description: 'minutes' }),
  ),
  sessionIdleMinutes: clearable(
    Type.Integer({
      ...idle,
      description: 'minutes without activity until a session ends; null: only sessionLifetimeMinutes applies',
    }),
  ),
  administratorIdleMinutes: Type.Optional(
    Type.Integer({
      ...idle,
      description: 'idle timeout for users who have a role, if it is shorter than sessionIdleMinutes',
    }),
  ),
  inviteLifetimeHours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, description: 'hours' })),
  magicLinkMinutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 60, description: 'minutes' })),
  codeLockout: Type.Optional(
    fields(codeLockout, {
      description:
        'After this many wrong codes, codes of that kind are rejected for a while; passkeys still work. Replaced as a whole. PCI DSS 8.3.4 allows at most 10 attempts and requires at least 30 minutes: {"maxAttempts": 10, "windowMinutes": 30, "lockoutMinutes": 30}.',
    }),
  ),
  apiKeyMaxDays: clearable(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description: 'maximum lifetime of new API keys in days; null: no limit',
    }),
  ),
  requireStrongForAdmins: Type.Optional(
    Type.Boolean({
      description:
        'Roles apply only in sessions that were started with a passkey or security key; in other sessions the response is ERR_STRONGER_AUTH_REQUIRED. Can only be enabled from such a session.',
    }),
  ),
  breakGlassUserId: clearable(
    idOf('user', {
      description:
        'An account for emergencies: no access policy applies to it. An active global administrator with a passkey or security key. Every sign-in raises a risk event and an email to all global administrators. null: none',
    }),
  ),
  trustedProxies: Type.Optional(
    Type.Array(printable(50, 'an address or range, such as 10.1.2.0/24'), {
      maxItems: 100,
      description:
        'Addresses and CIDR ranges of proxies whose `X-Forwarded-For` names the client, besides those of SVC_TRUSTED_PROXIES. Whoever is in a range can claim any address.',
    }),
  ),
  signInEventRetentionDays: Type.Optional(
    Type.Integer({
      ...signInDays,
      description: `days that sign-ins and the events of sessions are kept; a shorter time applies ${String(SHORTENED_AFTER_DAYS)} days after it was set`,
    }),
  ),
})

/** Wider ranges are networks of others rather than of proxies. Bits */
const MIN_PREFIX = { ipv4: 8, ipv6: 16 } as const

/** @throws DomainError ERR_INVALID naming the range */
const canonicalRanges = (ranges: readonly string[]): readonly string[] => [
  ...new Set(
    ranges.map((text, index) => {
      const range = readRange(text)
      if (range === undefined || range.length < MIN_PREFIX[range.family])
        throw new DomainError(
          'ERR_INVALID',
          `trustedProxies: expected addresses or ranges of at most /${String(MIN_PREFIX.ipv4)} (IPv4) or /${String(MIN_PREFIX.ipv6)} (IPv6), such as 10.1.2.0/24`,
          `/trustedProxies/${String(index)}`,
        )
      return writeRange(range)
    }),
  ),
]

export const Organization = Type.Object(
  {
    name: Type.String(),
    logoUrl: nullable(Type.String()),
    accentColor: nullable(Type.String({ description: 'as it was chosen; pages show it darker or lighter' })),
    signInUrl: Type.String(),
  },
  { title: 'Organization' },
)

export const Overview = Type.Object(
  {
    users: Type.Object({ active: Type.Integer(), invited: Type.Integer(), suspended: Type.Integer() }),
    groups: Type.Integer(),
    applications: Type.Object({ active: Type.Integer(), disabled: Type.Integer() }),
    activeSessions: Type.Integer(),
    signInsToday: Type.Integer({ description: 'since midnight UTC' }),
    failuresToday: Type.Integer({ description: 'sign-ins that failed since midnight UTC' }),
    openRisk: Type.Integer({ description: 'users with an open risk event' }),
    pendingRequests: Type.Integer({ description: 'access requests that nobody has decided yet' }),
    openReviews: Type.Integer({ description: 'access reviews whose reviewers can decide' }),
    webhooksFailing: Type.Integer({ description: 'webhook endpoints whose last delivery failed' }),
    provisioningErrors: Type.Integer({
      description: 'applications where some users cannot be provisioned, or whose provisioning is paused',
    }),
    emailAvailable: Type.Boolean({ description: 'whether the service can send email' }),
    logPosition: Type.String({ description: 'position in the event log that the figures reflect' }),
  },
  { title: 'Overview' },
)

export const organizationRoutes = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'clock' | 'configuration' | 'development' | 'publicUrl' | 'mail'
  >,
): readonly Route[] => {
  const { pool, configuration, publicUrl } = services
  const update = updateSettings(services)

  /** @throws DomainError ERR_INVALID */
  const mustBeBreakGlass = async (userId: string): Promise<void> => {
    if (!(await canBreakGlass(pool, userId)))
      throw new DomainError(
        'ERR_INVALID',
        'breakGlassUserId: expected an active global administrator who has a passkey or security key',
        '/breakGlassUserId',
      )
  }

  const settings = async () => {
    const row = (await readSettings(pool)) ?? { settings: {}, updatedAt: null, version: 0 }
    const {
      supportEmail = null,
      apiKeyMaxDays = null,
      sessionIdleMinutes = null,
      breakGlassUserId = null,
      ...others
    } = { ...defaultSettings, ...row.settings }
    return {
      ...others,
      supportEmail,
      apiKeyMaxDays,
      sessionIdleMinutes,
      breakGlassUserId: breakGlassUserId as Id<'user'> | null,
      updatedAt: row.updatedAt,
      version: row.version,
    }
  }

  return [
    route({
      method: 'GET',
      path: '/organization',
      tag: 'Public information',
      summary: 'Get the name and sign-in address of the organization',
      access: { credentials: ['none'] },
      result: Organization,
      status: 200,
      errors: [],
      handle: async () => {
        const { settings: current, logo, accentColor } = await configuration.fresh()
        const logoUrl = logo === null ? null : publicUrl + logoPath(logo)
        return {
          body: { name: current.organizationName, logoUrl, accentColor, signInUrl: `${publicUrl}/sign-in` },
        }
      },
    }),
    route({
      method: 'GET',
      path: '/settings',
      tag: 'Settings',
      summary: 'Get the settings',
      access: readers,
      result: Settings,
      status: 200,
      errors: [],
      handle: async () => ({ body: await settings() }),
    }),
    route({
      method: 'PATCH',
      path: '/settings',
      tag: 'Settings',
      summary: 'Update the settings',
      description:
        'Lifetimes apply to new sessions and links; the idle timeout applies to existing sessions too.',
      access: proven(writers('global_admin')),
      body: SettingsInput,
      result: Settings,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['organization.update'],
      handle: async (request) => {
        const { caller } = request
        if (request.body.requireStrongForAdmins === true && caller.kind !== 'api_key' && !isStrong(caller))
          throw new DomainError('ERR_STRONGER_AUTH_REQUIRED', 'Sign in with a passkey or security key first.')
        const { breakGlassUserId } = request.body
        if (typeof breakGlassUserId === 'string') await mustBeBreakGlass(breakGlassUserId)
        const { trustedProxies, ...others } = sent(request.body)
        const change =
          trustedProxies === undefined
            ? others
            : { ...others, trustedProxies: canonicalRanges(trustedProxies) }
        const { version } = await update(change, actorOf(request))
        const body = await readBack(settings(), version)
        await configuration.fresh()
        return { body }
      },
    }),
    route({
      method: 'GET',
      path: '/overview',
      tag: 'Activity',
      summary: 'Get key figures',
      access: readers,
      result: Overview,
      status: 200,
      errors: [],
      handle: async () => ({
        body: {
          ...(await readOverview(pool, sessionMoment(services))),
          emailAvailable: services.mail.available,
        },
      }),
    }),
  ]
}
