/**
 * Whether a request comes from a device known for a user. Known devices are counted separately: attempts of unknown
 * devices do not count for them. The look-ups depend on the cookie alone, so they take as long for an address without
 * an account; only the owner of the cookie sees their result.
 */
import { devicesBehindCookie, knownDeviceOf } from '../../../read-models/queries/devices.ts'
import type { Services } from '../../application/services/services.ts'
import type { Cookies } from '../http/cookies.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import { deviceTokenIn } from './device-cookie.ts'

/** The form of our own values; any other value is not looked up. */
const TOKEN = /^[\w-]{43}$/

/** The value by which a browser is recognized; null for none, or one that we never issued. */
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
    /** SHA-256 of the cookie's value; null for none. */
    hashOf,

    /** @returns the `dev_` id of a device in force of the person with that address; null for a stranger */
    of: async (cookies: Cookies, email: string): Promise<string | null> => {
      const hash = hashOf(cookies)
      return hash === null ? null : knownDeviceOf(lookups, hash, email)
    },

    /** @returns that hash where the browser is a device in force of anybody; null for a stranger */
    ofAnybody: async (cookies: Cookies): Promise<string | null> => {
      const hash = hashOf(cookies)
      const behind = hash === null ? [] : await devicesBehindCookie(lookups, hash)
      return behind.some(({ status }) => status !== 'removed' && status !== 'blocked') ? hash : null
    },
  }
}
