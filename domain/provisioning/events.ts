import type { Change } from '../changes.ts'

/** Which parts of a profile an application is told of. */
export interface PushedAttributes {
  readonly name: boolean
  readonly email: boolean
  readonly title: boolean
  readonly department: boolean
}

/** Where and how people are pushed into an application. */
export interface ProvisioningSettings {
  /** Of the SCIM service, without a trailing slash: `/Users` is appended. */
  readonly baseUrl: string
  readonly authScheme: 'bearer'
  /** What of a person is their `userName` there. */
  readonly userNameAttribute: 'email' | 'externalId'
  readonly attributes: PushedAttributes
}

/** Why no person at all could be pushed. */
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
        /** The bearer token, sealed under the service's key for this application. */
        sealedToken: string
        /** Grows with each other service that people are pushed into: accounts are linked within one of them. */
        generation: number
        /** What became different; the token as a mark. */
        changes: readonly Change[]
      }
    }
  | { type: 'provisioning.enabled'; data: { applicationId: string } }
  | { type: 'provisioning.disabled'; data: { applicationId: string } }
  | { type: 'provisioning.removed'; data: { applicationId: string } }
  | { type: 'provisioning.sync_requested'; data: { applicationId: string; runId: string } }
  /** The first time since all was well. */
  | {
      type: 'provisioning.failed'
      data: { applicationId: string; error: ProvisioningFailure; httpStatus: number | null }
    }
  | { type: 'provisioning.recovered'; data: { applicationId: string } }
  /** So many were about to be deactivated that somebody has to look first. */
  | { type: 'provisioning.paused'; data: { applicationId: string; deactivations: number; linked: number } }
  | {
      type: 'provisioning.resumed'
      data: {
        applicationId: string
        /** Deactivations that whoever resumed has agreed to. */
        allowed: number
      }
    }
