/**
 * Which device of a user a sign-in comes from. A cookie recognizes the browser, but is no proof: it is read only after
 * the user has been authenticated, and identifies only that user's own devices.
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
  /** Whether it is not registered yet */
  readonly isNew: boolean
  /** The value of the cookie */
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
    /** Returns the user's device, or a new one if the browser is unknown or the device was removed. */
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
      // Two concurrent sign-ins get the same id and therefore register only one device.
      const name = ['device', userId, hashSecret(sent), own.at(-1)?.id ?? ''].join('|')
      return { deviceId: idsFor(name).newId('device'), userId, blocked: false, isNew: true, token: sent }
    },

    /**
     * Registers a new device, or stores the use of a known one.
     * @returns the cookie to set
     */
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
