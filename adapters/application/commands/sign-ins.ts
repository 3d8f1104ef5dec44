import type { Id } from '../../../domain/ids.ts'
import { signInDecider, signInStream } from '../../../domain/sign-in/decider.ts'
import type { SignInAttempt } from '../../../domain/sign-in/events.ts'
import { newId } from '../../kernel/ids.ts'
import { deviceName } from '../../kernel/device-name.ts'
import type { Services } from '../services/services.ts'

/** The origin of an attempt. */
export interface SignInOrigin {
  readonly ip: string
  readonly userAgent: string | null
  readonly correlationId: string
}

/** The other data of an attempt. */
export type AttemptToRecord = Pick<
  SignInAttempt,
  'userId' | 'email' | 'appId' | 'result' | 'method' | 'reason'
> &
  Partial<Pick<SignInAttempt, 'deviceId' | 'sessionId' | 'amr' | 'decision' | 'risks' | 'identityProviderId'>>

const MAX_EMAIL = 254

/**
 * Records sign-in attempts, one event each. Does not wait until they are visible; an attempt that cannot be
 * recorded does not succeed.
 */
export const signInRecorder = ({ handle, locate }: Pick<Services, 'handle' | 'locate'>) => {
  return async (attempt: AttemptToRecord, origin: SignInOrigin): Promise<Id<'signInEvent'>> => {
    const signInId = newId('signInEvent')
    const { ip, userAgent, correlationId } = origin
    const risks = attempt.risks ?? []
    await handle(
      signInDecider,
      signInStream(signInId),
      {
        type: 'record',
        attempt: {
          deviceId: null,
          identityProviderId: null,
          sessionId: null,
          amr: [],
          decision: null,
          ...attempt,
          risks: risks.length === 0 ? null : risks,
          signInId,
          email: attempt.email?.slice(0, MAX_EMAIL) ?? null,
          ip,
          location: locate(ip),
          device: userAgent === null ? null : deviceName(userAgent),
          userAgent,
          risk: attempt.decision?.facts.risk ?? 'none',
        },
      },
      {
        actorId: attempt.result === 'success' ? attempt.userId : null,
        actorType: attempt.result === 'success' ? 'user' : 'system',
        credential:
          attempt.sessionId === undefined || attempt.sessionId === null
            ? null
            : { type: 'session', id: attempt.sessionId },
        ip,
        userAgent,
        correlationId,
      },
      { wait: 'recorded', presumed: { state: signInDecider.initial, revision: -1 } },
    )
    return signInId
  }
}
