/**
 * Whether a request comes from a device known for a user. Known devices are counted separately: attempts from unknown
 * devices do not count towards theirs. The lookups depend only on the cookie, so they take as long for an address
 * without an account. Only the owner of the cookie can see their result.
 */
import { devicesBehindCookie, knownDeviceOf } from '../../../read-models/queries/devices.ts'
import type { Services } from '../../application/services/services.ts'
import type { Cookies } from '../http/cookies.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import { deviceTokenIn } from './device-cookie.ts'

/** The form of values that we issue; others are not looked up. */
const TOKEN = /^[\w-]{43}$/

/** Returns the value that identifies a browser; null if it is missing or not in our form. */
export const deviceToken = (cookies: Cookies, publicUrl: string): string | null => {
  const sent = deviceTokenIn(cookies, publicUrl)
  return sent !== undefined && TOKEN.test(sent) ? sent : null
}

export const knownDevices = ({ lookups, publicUrl }: Pick<Services, 'lookups' | 'publicUrl'>) => {
  const hashOf = (cookies: Cookies): string | null => {
    const token = deviceToken(cookies, publicUrl)
    return token === null ? null : hashSecret(token)
  }
  return {
    /** SHA-256 of the cookie's value; null if there is none */
    hashOf,

    /** @returns the `dev_` id of an active device of the user with that address; null for an unknown device */
    of: async (cookies: Cookies, email: string): Promise<string | null> => {
      const hash = hashOf(cookies)
      return hash === null ? null : knownDeviceOf(lookups, hash, email)
    },

    /** @returns the hash if the browser is an active device of any user; null for an unknown device */
    ofAnybody: async (cookies: Cookies): Promise<string | null> => {
      const hash = hashOf(cookies)
      const behind = hash === null ? [] : await devicesBehindCookie(lookups, hash)
      return behind.some(({ status }) => status !== 'removed' && status !== 'blocked') ? hash : null
    },
  }
}
