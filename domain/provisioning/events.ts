import type { Change } from '../changes.ts'

/** The parts of a profile that an application receives. */
export interface PushedAttributes {
  readonly name: boolean
  readonly email: boolean
  readonly title: boolean
  readonly department: boolean
}

/** How users are pushed to an application. */
export interface ProvisioningSettings {
  /** Address of the SCIM service, without a trailing slash; `/Users` is appended */
  readonly baseUrl: string
  readonly authScheme: 'bearer'
  /** The user field that becomes the `userName`. */
  readonly userNameAttribute: 'email' | 'externalId'
  readonly attributes: PushedAttributes
}

/** Why no user could be pushed. */
export type ProvisioningFailure =
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'redirect'
  | 'unauthorized'
  | 'rate_limited'
  | 'unavailable'
  | 'malformed'
  | 'token_unreadable'

export type ProvisioningEvent =
  | {
      type: 'provisioning.configured'
      data: ProvisioningSettings & {
        applicationId: string
        /** The bearer token, encrypted under the service's key for this application. */
        sealedToken: string
        /** Increases when the SCIM service is replaced: accounts are linked within one generation. */
        generation: number
        /** The changed fields; the token is masked. */
        changes: readonly Change[]
      }
    }
  | { type: 'provisioning.enabled'; data: { applicationId: string } }
  | { type: 'provisioning.disabled'; data: { applicationId: string } }
  | { type: 'provisioning.removed'; data: { applicationId: string } }
  | { type: 'provisioning.sync_requested'; data: { applicationId: string; runId: string } }
  /** The first failure since the last success. */
  | {
      type: 'provisioning.failed'
      data: { applicationId: string; error: ProvisioningFailure; httpStatus: number | null }
    }
  | { type: 'provisioning.recovered'; data: { applicationId: string } }
  /** Too many accounts were about to be deactivated, so an administrator must check first. */
  | { type: 'provisioning.paused'; data: { applicationId: string; deactivations: number; linked: number } }
  | {
      type: 'provisioning.resumed'
      data: {
        applicationId: string
        /** The number of deactivations that an administrator approved when resuming. */
        allowed: number
      }
    }
