import type { Instant } from '../time.ts'

export type DevicePlatform = 'macos' | 'windows' | 'linux' | 'ios' | 'android' | 'chromeos' | 'other'

/** A browser or terminal on which one user has signed in. */
export interface RegisteredDevice {
  /** `dev_` id */
  readonly deviceId: string
  readonly userId: string
  readonly kind: 'browser' | 'cli'
  /** SHA-256 of the cookie's value. Several users of one browser share it; each has their own device. */
  readonly cookieHash: string
  /** The derived name, until a user renames the device */
  readonly name: string
  readonly platform: DevicePlatform
  readonly browser: string | null
  /** Null if the User-Agent header does not say, or is the same for everyone. */
  readonly osVersion: string | null
  readonly userAgent: string | null
  readonly ip: string | null
  /** `City, CC`, or only the name of the country. */
  readonly location: string | null
}

export interface DeviceOfPerson {
  readonly deviceId: string
  readonly userId: string
}

export type DeviceEvent =
  | { type: 'device.registered'; data: RegisteredDevice }
  | { type: 'device.renamed'; data: DeviceOfPerson & { readonly name: string } }
  /** `expiresAt`: null for an unlimited time. */
  | { type: 'device.trusted'; data: DeviceOfPerson & { readonly expiresAt: Instant | null } }
  | { type: 'device.untrusted'; data: DeviceOfPerson }
  | { type: 'device.blocked'; data: DeviceOfPerson }
  | { type: 'device.unblocked'; data: DeviceOfPerson }
  | { type: 'device.removed'; data: DeviceOfPerson }
