import type { PendingAuthorization } from './pending-authorization.ts'

/** A sign-in to a service provider that waits while its person signs in. */
export interface PendingSignOn {
  readonly protocol: 'saml'
  /** Of the application, when it asked. */
  readonly entityId: string
  /** Null when the sign-in began here. */
  readonly requestId: string | null
  readonly acsUrl: string
  /** As it was sent; null when none was. */
  readonly relayState: string | null
  /** The address of whom the application expects. */
  readonly loginHint: string | null
  /** The user was refused: all that is left is the way back. */
  readonly refused?: true
}

/** Where a waiting request goes on after the sign-in, by its protocol: paths of ours. */
export const resumePaths = { oidc: '/oauth2/authorize/resume', saml: '/saml/sso/resume' } as const

/** Whatever waits for a sign-in. */
export type Pending = PendingAuthorization | PendingSignOn

export const isSignOn = (pending: Pending): pending is PendingSignOn => 'protocol' in pending
