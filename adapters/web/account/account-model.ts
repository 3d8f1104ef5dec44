import type { MembershipVia } from '../../../domain/membership/events.ts'
import { roles } from '../../../domain/roles.ts'
import { groupsOf, liveSessionsOf, methodsOf } from '../../../read-models/queries/account.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import type { Services } from '../../commands/deps.ts'
import { allowedOf } from '../../session/allowed-methods.ts'
import { deviceName } from '../../session/device-name.ts'
import { ownApplications } from '../../session/own-applications.ts'
import type { PageModel } from '../kit/layout.ts'
import type { ActivityModel } from './activity-page.ts'
import { hints } from './hints.ts'
import type { OverviewModel } from './overview-page.ts'
import type { AccountProfile } from './profile-section.ts'
import type { SecurityModel } from './security-page.ts'

const through: Readonly<Record<MembershipVia, string>> = {
  assigned: 'direct',
  rule: 'rule',
  package: 'access package',
  scim: 'directory',
  lifecycle: 'lifecycle rule',
}

/** In the order in which they are offered. */
const addable = ['passkey', 'security_key', 'authenticator_code'] as const

/** A logo that the page's policy lets it show: one of our own origin. */
export const ownLogo = (logoUrl: string | undefined, publicUrl: string): string | undefined =>
  logoUrl?.startsWith(`${publicUrl}/`) === true ? logoUrl : undefined

/** Everything that a person sees of their own account, as the read models have it now. */
export const accountModels = (services: Services) => {
  const { pool, clock, publicUrl } = services
  const applications = ownApplications(services)

  const profileOf = async ({ userId, name, email }: LiveSession): Promise<AccountProfile> => {
    const user = await findUser(pool, userId, clock.now())
    return {
      name,
      email,
      emailVerified: user?.emailVerified ?? false,
      department: user?.department ?? undefined,
      title: user?.title ?? undefined,
      locale: user?.locale ?? undefined,
      timeZone: user?.timeZone ?? undefined,
    }
  }

  return {
    overview: async (page: PageModel, session: LiveSession): Promise<OverviewModel> => {
      const { userId } = session
      const [person, methods, groups, mine] = await Promise.all([
        profileOf(session),
        methodsOf(pool, userId),
        groupsOf(pool, userId, clock.now()),
        applications(userId),
      ])
      return {
        ...page,
        person,
        hints: hints(
          { usedRecoveryCode: false, ways: methods.length, emailVerified: person.emailVerified },
          person.email,
          false,
        ),
        applications: mine.map(({ id, name, settings }) => ({
          id,
          name,
          logoUrl: ownLogo(settings.logoUrl, publicUrl),
          launchUrl: settings.launchUrl,
        })),
        groups: groups.map(({ name, via }) => ({ name, via: via.map((each) => through[each]).join(', ') })),
        roles: session.roles.map((key) => roles[key]),
      }
    },

    security: async (page: PageModel, session: LiveSession): Promise<SecurityModel> => {
      const { userId } = session
      const [person, methods, allowed] = await Promise.all([
        profileOf(session),
        methodsOf(pool, userId),
        allowedOf(services, [...addable, 'recovery_codes'], userId),
      ])
      return {
        ...page,
        person,
        hints: hints(
          { usedRecoveryCode: false, ways: methods.length, emailVerified: true },
          person.email,
          false,
        ),
        methods: methods.map(({ lastUsedAt, ...method }) => ({
          ...method,
          lastUsedAt: lastUsedAt ?? undefined,
        })),
        offered: addable.filter((type) => allowed.includes(type)),
        linkedAccounts: [],
      }
    },

    activity: async (page: PageModel, session: LiveSession, _cookies?: string): Promise<ActivityModel> => {
      const [person, sessions] = await Promise.all([
        profileOf(session),
        liveSessionsOf(pool, session.userId, clock.now()),
      ])
      return {
        ...page,
        person,
        sessions: sessions.map(({ id, createdAt, lastSeenAt, ip, userAgent }) => ({
          id,
          current: id === session.sessionId,
          createdAt,
          lastSeenAt,
          place: ip ?? 'Unknown place',
          device: deviceName(userAgent),
        })),
        devices: [],
        signIns: [],
      }
    },
  }
}
