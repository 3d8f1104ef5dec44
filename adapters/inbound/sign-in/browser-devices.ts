/**
 * Which device of a user a sign-in comes from. A browser is recognized by a cookie that proves nothing by itself: it is
 * read once its user has proved who they are, and finds only that user's own device.
 */
import { devicesBehindCookie } from '../../../read-models/queries/devices.ts'
import type { Services } from '../../application/services/services.ts'
import { deviceCommands } from '../../application/commands/devices.ts'
import type { Actor } from '../../application/services/handle.ts'
import type { HttpContext } from '../http/route.ts'
import { idsFor, newId } from '../../kernel/ids.ts'
import { hashSecret, newSecret } from '../../engines/vault/hash.ts'
import { deviceCookie } from './device-cookie.ts'
import { deviceName, deviceTraits } from '../../kernel/device-name.ts'
import { deviceUse } from '../../application/services/device-use.ts'
import { deviceToken } from './known-device.ts'

export interface BrowserDevice {
  readonly deviceId: string
  readonly userId: string
  readonly blocked: boolean
  /** Not registered so far. */
  readonly isNew: boolean
  /** The cookie's value. */
  readonly token: string
}

type Browser = Pick<HttpContext, 'cookies' | 'ip' | 'userAgent'>

export const browserDevices = (
  services: Pick<Services, 'pool' | 'clock' | 'random' | 'handle' | 'locate' | 'vault' | 'publicUrl'>,
) => {
  const { pool, random, locate, publicUrl } = services
  const { register } = deviceCommands(services)
  const noteUse = deviceUse(services)

  return {
    /** The person's device; a new one, where the browser is not known or the device was removed. */
    resolve: async (userId: string, { cookies }: Browser): Promise<BrowserDevice> => {
      const sent = deviceToken(cookies, publicUrl)
      const behind = sent === null ? [] : await devicesBehindCookie(pool, hashSecret(sent))
      const own = behind.filter((device) => device.userId === userId)
      const known = own.find(({ status }) => status !== 'removed')
      if (sent === null || behind.length === 0)
        return {
          deviceId: newId('device'),
          userId,
          blocked: false,
          isNew: true,
          token: newSecret('', random),
        }
      if (known !== undefined)
        return {
          deviceId: known.id,
          userId,
          blocked: known.status === 'blocked',
          isNew: false,
          token: sent,
        }
      // Two concurrent sign-ins get the same id, and so register one device.
      const name = ['device', userId, hashSecret(sent), own.at(-1)?.id ?? ''].join('|')
      return { deviceId: idsFor(name).newId('device'), userId, blocked: false, isNew: true, token: sent }
    },

    /** Registers a new device, or notes that a known one was used. @returns the cookie to set */
    keep: async (device: BrowserDevice, { ip, userAgent }: Browser, actor: Actor): Promise<string> => {
      const { deviceId, userId, isNew, token } = device
      if (isNew)
        await register(
          {
            deviceId,
            userId,
            kind: 'browser',
            cookieHash: hashSecret(token),
            name: deviceName(userAgent),
            ...deviceTraits(userAgent),
            userAgent,
            ip,
            location: locate(ip),
          },
          actor,
        )
      await noteUse({ deviceId, userId }, ip)
      return deviceCookie(token, publicUrl)
    },
  }
}
