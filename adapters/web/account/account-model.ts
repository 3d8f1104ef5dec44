import type { MembershipVia } from '../../../domain/membership/events.ts'
import { roles } from '../../../domain/roles.ts'
import { groupsOf, liveSessionsOf, methodsOf } from '../../../read-models/queries/account.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import type { Services } from '../../commands/deps.ts'
import { deviceName } from '../../session/device-name.ts'
import { ownApplications } from '../../session/own-applications.ts'
import type { PageModel } from '../kit/layout.ts'
import type { AccountModel } from './account-page.ts'

const through: Readonly<Record<MembershipVia, string>> = {
  assigned: 'direct',
  rule: 'rule',
  package: 'access package',
  scim: 'directory',
  lifecycle: 'lifecycle rule',
}

/** A logo that the page's policy lets it show: one of our own origin. */
export const ownLogo = (logoUrl: string | undefined, publicUrl: string): string | undefined =>
  logoUrl?.startsWith(`${publicUrl}/`) === true ? logoUrl : undefined

/** Everything that a person sees of their own account, as the read models have it now. */
export const accountModel = (services: Services) => {
  const { pool, clock, publicUrl } = services
  const applications = ownApplications(services)

  return async (page: PageModel, session: LiveSession): Promise<AccountModel> => {
    const { userId, sessionId } = session
    const now = clock.now()
    const [user, methods, sessions, groups, mine] = await Promise.all([
      findUser(pool, userId, now),
      methodsOf(pool, userId),
      liveSessionsOf(pool, userId, now),
      groupsOf(pool, userId, now),
      applications(userId),
    ])
    return {
      ...page,
      user: {
        name: session.name,
        email: session.email,
        department: user?.department ?? undefined,
        title: user?.title ?? undefined,
      },
      methods: methods.map(({ id, type, name, createdAt, lastUsedAt }) => ({
        id,
        type,
        name,
        createdAt,
        lastUsedAt: lastUsedAt ?? undefined,
      })),
      sessions: sessions.map(({ id, createdAt, lastSeenAt, ip, userAgent }) => ({
        id,
        current: id === sessionId,
        createdAt,
        lastSeenAt,
        ip: ip ?? 'Unknown address',
        device: deviceName(userAgent),
      })),
      applications: mine.map(({ id, name, settings }) => ({
        id,
        name,
        logoUrl: ownLogo(settings.logoUrl, publicUrl),
        launchUrl: settings.launchUrl,
      })),
      groups: groups.map(({ name, via }) => ({ name, via: via.map((each) => through[each]).join(', ') })),
      roles: session.roles.map((key) => roles[key]),
    }
  }
}
