import type { Instant } from '../time.ts'

/** A user's approval for a device that cannot sign them in itself (RFC 8628). */
export interface ApprovedDeviceAuthorization {
  readonly deviceLoginId: string
  readonly applicationId: string
  readonly userId: string
  /** From the browser that approved it. */
  readonly sessionId: string
  readonly scopes: readonly string[]
  readonly apiResourceIds: readonly string[]
  readonly authTime: Instant
  /** The grant for which the device's code is redeemed, once. */
  readonly grantId: string
  /** Log position of the read models at the time of the approval. */
  readonly authorizedAt: string
}

export type DeviceAuthorizationEvent =
  | { type: 'device_login.approved'; data: ApprovedDeviceAuthorization }
  | {
      type: 'device_login.denied'
      data: { deviceLoginId: string; applicationId: string; userId: string }
    }
