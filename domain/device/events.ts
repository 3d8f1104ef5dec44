import type { Instant } from '../time.ts'

export type DevicePlatform = 'macos' | 'windows' | 'linux' | 'ios' | 'android' | 'chromeos' | 'other'

/** A browser, or a terminal, that one person has signed in with. */
export interface RegisteredDevice {
  /** `dev_` id. */
  readonly deviceId: string
  readonly userId: string
  readonly kind: 'browser' | 'cli'
  /** SHA-256 of the cookie's value. Several people of one browser share it, each with a device of their own. */
  readonly cookieHash: string
  /** Until somebody gives it another. */
  readonly name: string
  readonly platform: DevicePlatform
  readonly browser: string | null
  /** Null where the User-Agent header does not tell, or tells everyone the same. */
  readonly osVersion: string | null
  readonly userAgent: string | null
  readonly ip: string | null
  /** `City, CC`, or the name of the country alone. */
  readonly location: string | null
}

export interface DeviceOfPerson {
  readonly deviceId: string
  readonly userId: string
}

export type DeviceEvent =
  | { type: 'device.registered'; data: RegisteredDevice }
  | { type: 'device.renamed'; data: DeviceOfPerson & { readonly name: string } }
  /** `expiresAt`: null for as long as nobody says otherwise. */
  | { type: 'device.trusted'; data: DeviceOfPerson & { readonly expiresAt: Instant | null } }
  | { type: 'device.untrusted'; data: DeviceOfPerson }
  | { type: 'device.blocked'; data: DeviceOfPerson }
  | { type: 'device.unblocked'; data: DeviceOfPerson }
  | { type: 'device.removed'; data: DeviceOfPerson }
