import type { PendingAuthorization } from './pending-authorization.ts'

/** A sign-in to a service provider that waits while its person signs in. */
export interface PendingSignOn {
  readonly protocol: 'saml'
  /** Of the application, if it sent a request. */
  readonly entityId: string
  /** Null when the sign-in began here. */
  readonly requestId: string | null
  readonly acsUrl: string
  /** As it was sent; null if none was. */
  readonly relayState: string | null
  /** The address of whom the application expects. */
  readonly loginHint: string | null
  /** The user was refused: all that is left is the way back. */
  readonly refused?: true
}

/** Where a pending request continues after the sign-in, by its protocol: paths of this service. */
export const resumePaths = { oidc: '/oauth2/authorize/resume', saml: '/saml/sso/resume' } as const

/** A pending request of any protocol. */
export type Pending = PendingAuthorization | PendingSignOn

export const isSignOn = (pending: Pending): pending is PendingSignOn => 'protocol' in pending
