/** What administrators and users say about risk events. */
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import {
  riskDecider,
  riskStream,
  type CompromiseGuard,
  type RiskCommand,
  type RiskVerdict,
} from '../../../domain/risk/decider.ts'
import type { DetectedRisk } from '../../../domain/risk/events.ts'
import type { Role } from '../../../domain/roles.ts'
import { countOtherGlobalAdmins } from '../../../read-models/queries/administrators.ts'
import { accountStanding, findRiskEvent, ownSignIn } from '../../../read-models/queries/risk-events.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { ADMINISTRATORS } from './references.ts'
import { endSession } from './session-end.ts'

const noted = (note: string | undefined) => (note === undefined ? {} : { note })

/** Returns the id of the risk event of a reported sign-in. */
export const reportedRiskId = (signInId: string): Id<'riskEvent'> =>
  idsFor(`report|${signInId}`).newId('riskEvent')

export const riskEventCommands = (services: Pick<Services, 'handle' | 'pool' | 'locks'>) => {
  const { handle, pool, locks } = services
  const end = endSession(services)

  const send = (riskEventId: string, command: RiskCommand, actor: Actor) =>
    handle(riskDecider, riskStream(riskEventId), command, actor)

  const guarded = <T>(
    userId: string | null,
    by: readonly Role[],
    work: (guard: CompromiseGuard) => Promise<T>,
  ): Promise<T> =>
    locks.alone(ADMINISTRATORS, async () => {
      const standing = userId === null ? null : await accountStanding(pool, userId)
      const otherActiveGlobalAdmins = userId === null ? 0 : await countOtherGlobalAdmins(pool, userId)
      return work({ by, ...(standing ?? { roles: [], isActive: false }), otherActiveGlobalAdmins })
    })

  return {
    /** @throws DomainError ERR_NOT_FOUND */
    resolve: (
      riskEventId: string,
      verdict: Exclude<RiskVerdict, 'confirmed_compromised'>,
      note: string | undefined,
      actor: Actor,
    ) => send(riskEventId, { type: 'resolve', riskEventId, verdict, ...noted(note) }, actor),

    /**
     * Ends all sessions and tokens of the user, who must set up their sign-in methods again.
     * @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT, ERR_FORBIDDEN for an account with a role, ERR_LAST_ADMIN
     */
    confirmCompromised: async (
      riskEventId: string,
      by: readonly Role[],
      note: string | undefined,
      actor: Actor,
    ) => {
      const found = await findRiskEvent(pool, riskEventId)
      if (found === null) throw new DomainError('ERR_NOT_FOUND')
      return guarded(found.userId, by, (guard) =>
        send(riskEventId, { type: 'confirm_compromised', riskEventId, guard, ...noted(note) }, actor),
      )
    },

    /**
     * The same for a user without a risk event.
     * @throws DomainError ERR_NOT_FOUND, ERR_FORBIDDEN for an account with a role, ERR_LAST_ADMIN
     */
    confirmUserCompromised: async (
      userId: string,
      by: readonly Role[],
      note: string | undefined,
      actor: Actor,
    ) => {
      if ((await accountStanding(pool, userId)) === null) throw new DomainError('ERR_NOT_FOUND')
      const riskEventId: Id<'riskEvent'> = idsFor(actor.idempotencyKey).newId('riskEvent')
      const risk: DetectedRisk = {
        ...{ riskEventId, userId, riskType: 'admin_confirmed', level: 'high', detail: {} },
        ...{ signInId: null, sessionId: null, ip: null, location: null },
      }
      const { version } = await guarded(userId, by, (guard) =>
        send(riskEventId, { type: 'confirm_compromised', riskEventId, guard, risk, ...noted(note) }, actor),
      )
      return { riskEventId, version }
    },

    /**
     * Records that a user does not recognize a sign-in, and ends the session that it started unless the user reports
     * from that session.
     * @throws DomainError ERR_NOT_FOUND for a sign-in of somebody else
     */
    report: async (
      { userId, sessionId: current }: { readonly userId: string; readonly sessionId?: string },
      { signInId, note }: { readonly signInId: string; readonly note?: string | undefined },
      actor: Actor,
    ): Promise<{ readonly riskEventId: Id<'riskEvent'>; readonly sessionEnded: boolean }> => {
      const signIn = await ownSignIn(pool, userId, signInId)
      if (signIn === null) throw new DomainError('ERR_NOT_FOUND')
      // Another report of the same sign-in changes nothing.
      const riskEventId = reportedRiskId(signInId)
      const risk: DetectedRisk = {
        ...{ riskEventId, userId, riskType: 'user_reported', level: 'high', detail: noted(note) },
        ...{ signInId, ...signIn },
      }
      await send(riskEventId, { type: 'detect', risk }, actor)
      const ends = signIn.sessionId !== null && signIn.sessionId !== current
      if (ends) await end(signIn.sessionId, 'user_revoked', actor)
      return { riskEventId, sessionEnded: ends }
    },
  }
}
