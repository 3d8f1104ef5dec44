import type { NoteSeen } from '../../application/services/device-use.ts'
import type { Services } from '../../application/services/services.ts'
import type { AccessPolicies } from '../../application/sign-in/access-policies.ts'
import type { TokenChecks } from '../../application/sign-in/token-check.ts'
import type { AuthRequests } from './auth-requests.ts'
import type { BrowserEndpointDeps } from './browser-endpoint.ts'
import type { SessionLookup } from './cookie.ts'
import type { Pending } from './pending-sign-on.ts'

/** The services for signing in to an application, for every protocol. */
export interface SignInContext extends Pick<BrowserEndpointDeps, 'pages' | 'onError'> {
  readonly services: Pick<
    Services,
    'handle' | 'pool' | 'locate' | 'clock' | 'random' | 'configuration' | 'publicUrl'
  >
  readonly sessions: SessionLookup
  readonly requests: AuthRequests<Pending>
  readonly check: TokenChecks['check']
  readonly checkEntrance: TokenChecks['checkEntrance']
  readonly policies: AccessPolicies
  /** Called with each session that opened an application */
  readonly seen: NoteSeen
}
