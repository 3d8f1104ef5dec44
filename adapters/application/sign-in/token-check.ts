/**
 * Whether a user may (still) use an application: active, assigned, session alive, nothing revoked. One
 * indexed query, shared by concurrent requests, without a write; the same query detects a stale configuration
 * cache.
 */
import type { Strength } from '../../../domain/session/events.ts'
import type { Instant } from '../../../domain/time.ts'
import type { ApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import {
  entranceStates,
  grantStandings,
  type EntranceQuestion,
  tokenStates,
  type TokenQuestion,
  type TokenState,
  type TokenSubject,
} from '../../../read-models/queries/token-state.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import { coalesced } from '../../kernel/coalesce.ts'
import type { Configuration } from '../services/configuration.ts'
import type { Services } from '../services/services.ts'
import { sessionMoment } from '../services/moment.ts'
import { hashSecret } from '../../engines/vault/hash.ts'

export interface CheckSubject extends TokenSubject {
  /** Whether it survives the expiry of the session (`offline_access`). Signing out revokes it. */
  readonly offline: boolean
  /** Log position at the time of the authorization; null while it is being decided. */
  readonly authorizedAt: string | null
}

/** For the application's developer. */
export const VOID = 'the user, their session or their assignment no longer allows access to this application'

export type GoodState = TokenState & { readonly strength: Strength; readonly authTime: Instant }

export type TokenVerdict =
  | { readonly verdict: 'good'; readonly state: GoodState }
  | { readonly verdict: 'not_assigned'; readonly state: TokenState }
  /** The user, their session, the application or the grant does not allow it. */
  | { readonly verdict: 'void' }

export interface Checked {
  /** At least as recent as the state that was checked. */
  readonly configuration: Configuration
  /** Null if it no longer exists. It may also be disabled. */
  readonly application: ApplicationConfiguration | null
  readonly outcome: TokenVerdict
}

/**
 * Applications without a group are closed to all users, except the built-in one, which is open until a group
 * is assigned.
 */
export const isOpenToAll = ({ builtIn, groupIds }: ApplicationConfiguration): boolean =>
  builtIn && groupIds.length === 0

const hasSignIn = (state: TokenState): state is GoodState =>
  state.strength !== null && state.authTime !== null

const isVoidedBy = (authorizedAt: string | null, voidBefore: string | null): boolean =>
  authorizedAt !== null && voidBefore !== null && authorizedAt < voidBefore

const decide = (
  application: ApplicationConfiguration | null,
  state: TokenState | null,
  { authorizedAt, offline }: Pick<CheckSubject, 'authorizedAt' | 'offline'>,
): TokenVerdict => {
  if (application?.status !== 'active' || state?.status !== 'active') return { verdict: 'void' }
  const sessionHolds = state.session === 'live' || (state.session === 'expired' && offline)
  if (!sessionHolds || !hasSignIn(state) || state.isRevoked) return { verdict: 'void' }
  if (
    isVoidedBy(authorizedAt, state.tokensVoidBefore) ||
    isVoidedBy(authorizedAt, state.applicationVoidBefore) ||
    isVoidedBy(authorizedAt, application.tokensVoidBefore)
  )
    return { verdict: 'void' }
  return state.isMember || isOpenToAll(application)
    ? { verdict: 'good', state }
    : { verdict: 'not_assigned', state }
}

/** The token check for an application that acts for itself. */
export interface ApplicationSubject {
  readonly applicationId: string
  readonly grantId: string
  readonly authorizedAt: string
}

export const tokenChecks = (deps: Pick<Services, 'lookups' | 'clock' | 'development' | 'configuration'>) => {
  const { lookups, configuration: cache } = deps
  const stateOf = coalesced((questions: readonly TokenQuestion[]) =>
    tokenStates(lookups, questions, sessionMoment(deps)),
  )
  const entranceOf = coalesced((questions: readonly EntranceQuestion[]) =>
    entranceStates(lookups, questions, sessionMoment(deps)),
  )
  const standingOf = coalesced((grantIds: readonly string[]) => grantStandings(lookups, grantIds))

  /** Repeats until the configuration of the check is the one in effect at its result. */
  const withCurrentConfiguration = async <Answer extends { readonly state: TokenState } | null>(
    applicationId: string,
    ask: (groups: Pick<TokenQuestion, 'groupIds' | 'policyGroupIds'>) => Promise<Answer>,
  ) => {
    for (let configuration = cache.now(); ;) {
      const application = configuration.applicationById.get(applicationId) ?? null
      const { policyGroupIds } = configuration
      const answer = await ask({ groupIds: application?.groupIds ?? [], policyGroupIds })
      const needed = answer?.state.configurationPosition ?? ''
      const current = await cache.atLeast(needed)
      const isCurrent = configuration.position >= needed || current === configuration
      if (isCurrent) return { configuration, application, answer }
      configuration = current
    }
  }

  /** @param withGroups whether the names of the user's groups are needed */
  const check = async (subject: CheckSubject, withGroups: boolean): Promise<Checked> => {
    const { configuration, application, answer } = await withCurrentConfiguration(
      subject.applicationId,
      async (groups) => {
        const state = await stateOf({ subject, ...groups, withGroups })
        return state === null ? null : { state }
      },
    )
    return { configuration, application, outcome: decide(application, answer?.state ?? null, subject) }
  }

  /**
   * Returns the active session with this secret and whether it opens the application; null if there is no such
   * session.
   */
  const checkEntrance = async (
    secret: string,
    applicationId: string,
  ): Promise<(Checked & { readonly session: LiveSession }) | null> => {
    const tokenHash = hashSecret(secret)
    const { configuration, application, answer } = await withCurrentConfiguration(applicationId, (groups) =>
      entranceOf({ tokenHash, applicationId, ...groups }),
    )
    if (answer === null) return null
    const { session, state } = answer
    return {
      session,
      configuration,
      application,
      outcome: decide(application, state, { authorizedAt: null, offline: false }),
    }
  }

  /** Returns the application, unless it is disabled or the token was revoked. */
  const checkApplication = async ({
    applicationId,
    grantId,
    authorizedAt,
  }: ApplicationSubject): Promise<ApplicationConfiguration | null> => {
    const { isRevoked, configurationPosition } = await standingOf(grantId)
    const application = (await cache.atLeast(configurationPosition)).applicationById.get(applicationId)
    const holds =
      application?.status === 'active' &&
      !isRevoked &&
      !isVoidedBy(authorizedAt, application.tokensVoidBefore)
    return holds ? application : null
  }

  return { check, checkEntrance, checkApplication }
}

export type TokenChecks = ReturnType<typeof tokenChecks>
