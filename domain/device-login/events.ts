import type { Instant } from '../time.ts'

/** What a person let a device do that cannot sign them in by itself (RFC 8628). */
export interface ApprovedDeviceLogin {
  readonly deviceLoginId: string
  readonly applicationId: string
  readonly userId: string
  /** Of the browser that it was approved in. */
  readonly sessionId: string
  readonly scopes: readonly string[]
  readonly apiResourceIds: readonly string[]
  readonly authTime: Instant
  /** The grant that the device's code is redeemed for, once. */
  readonly grantId: string
  /** Place in the log that the read models showed when the person approved. */
  readonly authorizedAt: string
}

export type DeviceLoginEvent =
  | { type: 'device_login.approved'; data: ApprovedDeviceLogin }
  | {
      type: 'device_login.denied'
      data: { deviceLoginId: string; applicationId: string; userId: string }
    }
