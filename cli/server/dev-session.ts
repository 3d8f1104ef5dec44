import type { Services } from '../../adapters/application/services/services.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { SESSION_COOKIE } from '../../adapters/inbound/http/cookies.ts'
import { hashSecret, newSecret } from '../../adapters/engines/vault/hash.ts'
import { authenticationOf } from '../../domain/session/authentication.ts'
import { sessionDecider, sessionStream } from '../../domain/session/decider.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { systemActor } from './setup-link.ts'

/**
 * Starts a session for an active user without a sign-in, only for development.
 * @returns `svc_session=<SESSION>`
 */
export const startDevSession = async (services: Services, email: string): Promise<string> => {
  const { pool, clock, random, configuration, handle } = services
  const { rows } = await pool.query<{ id: string }>(
    `select id from users where email_key = $1 and status = 'active'`,
    [email.toLowerCase()],
  )
  const userId = rows[0]?.id
  if (userId === undefined) throw new CliError(exitCodes.error, `No active user has the address ${email}.`)
  const token = newSecret('', random)
  const sessionId = newId('session')
  const methods = ['development'] as const
  const { amr, strength } = authenticationOf(methods, false)
  await handle(
    sessionDecider,
    sessionStream(sessionId),
    {
      type: 'start',
      session: {
        sessionId,
        userId,
        tokenHash: hashSecret(token),
        methods,
        methodIds: [],
        amr,
        authTime: clock.now(),
        expiresAt: clock.in((await configuration.fresh()).settings.sessionLifetimeMinutes * 60),
        strength,
        ip: null,
        userAgent: null,
        deviceId: null,
        location: null,
        risk: 'none',
      },
    },
    { ...systemActor(), actorType: 'cli' },
  )
  return `${SESSION_COOKIE}=${token}`
}
