import { DomainError } from '../../domain/errors.ts'
import type { Clock } from '../clock.ts'
import type { PersonCaller } from '../http/caller.ts'

/** How long a sign-in counts as recent, for changing how one signs in. */
const RECENT_SECONDS = 600

/**
 * What opens the account for good asks for a sign-in of the last minutes, so that a browser left open is not enough.
 * Only a session can show one.
 * @throws DomainError ERR_REAUTH_REQUIRED
 */
export const requireRecentSignIn = (caller: PersonCaller, clock: Pick<Clock, 'in'>): void => {
  if (caller.kind !== 'session' || caller.authTime < clock.in(-RECENT_SECONDS))
    throw new DomainError('ERR_REAUTH_REQUIRED')
}
