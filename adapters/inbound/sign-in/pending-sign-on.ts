import type { PendingAuthorization } from './pending-authorization.ts'
import type { PendingSignIn } from './pending-sign-in.ts'
import type { PendingTest } from './pending-test.ts'

/** A sign-in to a service provider that is pending while its user signs in. */
export interface PendingSignOn extends PendingSignIn {
  readonly protocol: 'saml'
  /** The entity id of the application, if it sent a request */
  readonly entityId: string
  /** Null if the sign-in started here */
  readonly requestId: string | null
  readonly acsUrl: string
  /** As sent; null if none was */
  readonly relayState: string | null
  /** The address of the user whom the application expects */
  readonly loginHint: string | null
}

/** Where a pending request continues after the sign-in, by its protocol: paths of this service. */
export const resumePaths = {
  oidc: '/oauth2/authorize/resume',
  saml: '/saml/sso/resume',
  test: '/sign-in/test',
} as const

/** A pending request of any protocol. */
export type Pending = PendingAuthorization | PendingSignOn | PendingTest

export const isSignOn = (pending: Pending): pending is PendingSignOn =>
  'protocol' in pending && pending.protocol === 'saml'

export const isTest = (pending: Pending): pending is PendingTest =>
  'protocol' in pending && pending.protocol === 'test'

export const isAuthorization = (pending: Pending): pending is PendingAuthorization => !('protocol' in pending)
