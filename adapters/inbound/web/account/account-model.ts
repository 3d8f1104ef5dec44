import { errors, type ErrorCode } from '../../../../domain/errors.ts'
import type { MembershipVia } from '../../../../domain/membership/events.ts'
import { roles, type Role } from '../../../../domain/roles.ts'
import {
  groupsOf,
  liveSessionOf,
  liveSessionsOf,
  methodsOf,
} from '../../../../read-models/queries/account.ts'
import { listDevices } from '../../../../read-models/queries/devices.ts'
import { linkedAccountsOf } from '../../../../read-models/queries/linked-accounts.ts'
import type { LiveSession } from '../../../../read-models/queries/sign-in-state.ts'
import { listSignIns, type SignInRow } from '../../../../read-models/queries/sign-ins.ts'
import { listSshCertificates, mappingsOfUser } from '../../../../read-models/queries/ssh.ts'
import { recoveryCodesOf } from '../../../../read-models/queries/typed-codes.ts'
import { findUser } from '../../../../read-models/queries/users.ts'
import { reportedRiskId } from '../../../application/commands/risk-events.ts'
import { applicationLogoUrl } from '../../../application/services/logo-path.ts'
import type { Services } from '../../../application/services/services.ts'
import { allowedOf } from '../../../application/sign-in/allowed-methods.ts'
import { deviceName, deviceNameIn } from '../../../kernel/device-name.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { lastIpOf } from '../../../application/services/device-use.ts'
import { launchAddress, ownApplications } from '../../api/own-applications.ts'
import { messageOf } from '../sign-in/message-of.ts'
import { commonTexts } from '../kit/common-texts.ts'
import type { PageModel } from '../kit/layout.ts'
import { accessFacts } from './access-model.ts'
import type { AccessModel } from './access-page.ts'
import type { ActivityModel } from './activity-page.ts'
import type { ApprovalsModel } from './approvals-page.ts'
import type { ReviewsModel } from './reviews-page.ts'
import { hints } from './hints.ts'
import type { OverviewModel } from './overview-page.ts'
import type { AccountProfile } from './profile-section.ts'
import type { SecurityModel } from './security-page.ts'
import type { AccountSignIn } from './sign-ins-section.ts'
import { strongerOf } from '../../../../domain/session/proof.ts'
import { strongestProofOf } from '../../sign-in/required-proof.ts'
import { sessionMoment } from '../../../application/services/moment.ts'

interface Words {
  readonly through: Readonly<Record<MembershipVia, string>>
  readonly roles: Readonly<Record<Role, string>>
  readonly unknownPlace: string
}

const words = texts<Words>({
  en: {
    through: {
      assigned: 'direct',
      rule: 'rule',
      package: 'access package',
      scim: 'directory',
      lifecycle: 'lifecycle rule',
      identity_provider: 'identity provider',
    },
    roles,
    unknownPlace: 'Unknown place',
  },
  de: {
    through: {
      assigned: 'direkt',
      rule: 'Regel',
      package: 'Zugriffspaket',
      scim: 'Verzeichnis',
      lifecycle: 'Lebenszyklusregel',
      identity_provider: 'Identitätsanbieter',
    },
    roles: {
      global_admin: 'Globaler Administrator',
      security_admin: 'Sicherheitsadministrator',
      user_admin: 'Benutzeradministrator',
      helpdesk_admin: 'Helpdesk-Administrator',
      app_admin: 'Anwendungsadministrator',
      auditor: 'Auditor',
    },
    unknownPlace: 'Unbekannter Ort',
  },
})

/** Returns the model of a page for a user with this language (BCP 47), or with none. */
export type PageFor = (locale: string | undefined) => PageModel

/** In the order of the page. */
const addable = ['passkey', 'security_key', 'authenticator_code'] as const

/** Returns a logo that the page's policy allows: one from our own origin. */
export const ownLogo = (logoUrl: string | undefined, publicUrl: string): string | undefined =>
  logoUrl?.startsWith(`${publicUrl}/`) === true ? logoUrl : undefined

const placeOf = (location: string | null, ip: string | null, language: Language): string => {
  if (location === null) return ip ?? words[language].unknownPlace
  return ip === null ? location : `${location} (${ip})`
}

/** Longer lists are available over the API: suspicious activity is usually recent. */
const SHOWN_CERTIFICATES = 20
const newest = (limit: number) => ({ limit, sort: '-createdAt' }) as const

/** Reads everything that the account pages show. */
const reportOf = (
  { id, sessionId, riskEventIds }: Pick<SignInRow, 'id' | 'sessionId' | 'riskEventIds'>,
  current: string,
): AccountSignIn['report'] => {
  if (riskEventIds.includes(reportedRiskId(id))) return 'done'
  return sessionId === current ? 'current' : 'possible'
}

export const accountModels = (
  services: Pick<
    Services,
    'pool' | 'vault' | 'clock' | 'configuration' | 'locate' | 'mail' | 'development' | 'publicUrl'
  >,
) => {
  const { pool, clock, configuration, locate, mail, vault, publicUrl } = services
  const applications = ownApplications(services)
  const { access, approvals, reviews } = accessFacts(services)

  const profileOf = async ({ userId, name, email }: LiveSession): Promise<AccountProfile> => {
    const user = await findUser(pool, userId, clock.now())
    return {
      name,
      email,
      emailVerified: user?.emailVerified ?? false,
      mailed: mail.available,
      department: user?.department ?? undefined,
      title: user?.title ?? undefined,
      locale: user?.locale ?? undefined,
      timeZone: user?.timeZone ?? undefined,
    }
  }

  /** Returns the user's sign-in methods and hints about them. */
  const waysOf = async (session: LiveSession) => {
    const { userId, sessionId } = session
    const [person, methods, linked, opened, strongest] = await Promise.all([
      profileOf(session),
      methodsOf(pool, userId),
      linkedAccountsOf(pool, userId),
      liveSessionOf(pool, sessionId, sessionMoment(services)),
      strongestProofOf(services, userId),
    ])
    const facts = {
      usedRecoveryCode: opened?.methods.at(-1) === 'recovery_code',
      holdsStronger: strongerOf('code', strongest) !== 'code',
      ways: methods.length + linked.length,
    }
    return { person, methods, linked, hints: (language: Language) => hints(facts, language) }
  }

  /** Undefined for users who have nothing to do with SSH */
  const sshOf = async (userId: string): Promise<SecurityModel['ssh']> => {
    const now = clock.now()
    const [mappings, certificates] = await Promise.all([
      mappingsOfUser(pool, userId, now),
      listSshCertificates(pool, { userId, status: 'valid' }, now, newest(SHOWN_CERTIFICATES)),
    ])
    const principals = [...new Set(mappings.flatMap((mapping) => mapping.principals))].sort()
    if (principals.length + certificates.length === 0) return undefined
    return {
      principals,
      certificates: certificates.map(({ id, ...certificate }) => ({ serial: id, ...certificate })),
      publicUrl,
    }
  }

  return {
    overview: async (pageFor: PageFor, session: LiveSession): Promise<OverviewModel> => {
      const { userId } = session
      const [ways, groups, mine] = await Promise.all([
        waysOf(session),
        groupsOf(pool, userId, clock.now()),
        applications(userId),
      ])
      const page = pageFor(ways.person.locale)
      const { through, roles: roleNames } = words[page.language]
      return {
        ...page,
        person: ways.person,
        hints: ways.hints(page.language),
        applications: mine.map((application) => ({
          id: application.id,
          name: application.name,
          logoUrl: ownLogo(applicationLogoUrl(application, publicUrl), publicUrl),
          launchUrl: launchAddress(application, publicUrl),
        })),
        groups: groups.map(({ name, via }) => ({ name, via: via.map((each) => through[each]).join(', ') })),
        roles: [...session.roles, ...session.newRoles].map((key) => roleNames[key]),
      }
    },

    /** @param of one of the user's reports; any other user is ignored */
    access: async (pageFor: PageFor, session: LiveSession, of?: string): Promise<AccessModel> => {
      const [person, facts] = await Promise.all([profileOf(session), access(session.userId, of)])
      return { ...pageFor(person.locale), person, ...facts }
    },

    approvals: async (pageFor: PageFor, session: LiveSession): Promise<ApprovalsModel> => {
      const [person, facts] = await Promise.all([profileOf(session), approvals(session.userId)])
      return { ...pageFor(person.locale), person, ...facts }
    },

    reviews: async (pageFor: PageFor, session: LiveSession): Promise<ReviewsModel> => {
      const [person, facts] = await Promise.all([profileOf(session), reviews(session.userId)])
      return { ...pageFor(person.locale), person, ...facts }
    },

    /** @param problem the error code of an account that could not be linked */
    security: async (pageFor: PageFor, session: LiveSession, problem?: string): Promise<SecurityModel> => {
      const { userId } = session
      const [ways, codes, allowed, { identityProviders }, ssh] = await Promise.all([
        waysOf(session),
        recoveryCodesOf(pool, userId),
        allowedOf(services, [...addable, 'recovery_codes', 'identity_provider'], userId),
        configuration.fresh(),
        sshOf(userId),
      ])
      const page = pageFor(ways.person.locale)
      return {
        ...page,
        ssh,
        person: ways.person,
        hints: ways.hints(page.language),
        methods: ways.methods.map(({ lastUsedAt, ...method }) => ({
          ...method,
          lastUsedAt: lastUsedAt ?? undefined,
        })),
        offered: addable.filter((type) => allowed.includes(type)),
        recoveryCodes: allowed.includes('recovery_codes') ? (codes ?? { remaining: 0 }) : undefined,
        linkable: allowed.includes('identity_provider')
          ? identityProviders
              .filter(
                ({ id, linking }) =>
                  linking !== 'never' && !ways.linked.some((link) => link.identityProviderId === id),
              )
              .map(({ id, name }) => ({ id, name }))
          : [],
        linkProblem:
          problem !== undefined && Object.hasOwn(errors, problem)
            ? messageOf(problem as ErrorCode, page.language)
            : undefined,
        linkedAccounts: ways.linked.map(({ id, providerName, email, linkedAt }) => ({
          id,
          provider: providerName ?? undefined,
          email: email ?? undefined,
          linkedAt,
        })),
      }
    },

    activity: async (pageFor: PageFor, session: LiveSession): Promise<ActivityModel> => {
      const { userId, sessionId, deviceId } = session
      const now = clock.now()
      const [person, sessions, devices, signIns, { applicationById }] = await Promise.all([
        profileOf(session),
        liveSessionsOf(pool, userId, sessionMoment(services)),
        listDevices(pool, { userId }, newest(50), now),
        listSignIns(pool, { userId }, newest(20)),
        configuration.fresh(),
      ])
      const page = pageFor(person.locale)
      const { language } = page
      return {
        ...page,
        person,
        sessions: sessions.map(({ id, createdAt, lastSeenAt, location, ip, userAgent }) => ({
          id,
          current: id === sessionId,
          createdAt,
          lastSeenAt,
          place: placeOf(location, ip, language),
          device: deviceNameIn(deviceName(userAgent), language),
        })),
        devices: devices.map((device) => {
          const { id, name, status, lastSeenAt } = device
          const lastIp = lastIpOf(vault, device)
          const place = placeOf(lastIp === null ? null : locate(lastIp), lastIp, language)
          return {
            id,
            name: deviceNameIn(name, language),
            status,
            current: id === deviceId,
            lastSeenAt,
            place,
          }
        }),
        signIns: signIns.map((signIn) => {
          const { id, time, result, method, reason, device, location, ip, appId } = signIn
          return {
            id,
            report: reportOf(signIn, sessionId),
            time,
            result,
            method,
            reason,
            device: device === null ? commonTexts[language].unknownDevice : deviceNameIn(device, language),
            place: placeOf(location, ip, language),
            application: appId === null ? undefined : applicationById.get(appId)?.name,
          }
        }),
      }
    },
  }
}
