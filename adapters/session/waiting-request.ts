import { DomainError } from '../../domain/errors.ts'
import type { SignInReason } from '../../domain/oidc/sign-in-need.ts'
import type { ApplicationConfiguration } from '../../read-models/queries/configuration.ts'
import type { Services } from '../commands/deps.ts'
import { authRequests } from '../oidc/auth-requests.ts'
import type { PendingAuthorization } from '../oidc/pending-authorization.ts'

/** An application's request that waits for its person to sign in. */
export interface WaitingRequest {
  readonly id: string
  readonly application: ApplicationConfiguration
  readonly expiresAt: string
  readonly loginHint: string | null
  readonly prompts: readonly string[]
  /** Where an answer goes; a form on our pages may lead there. */
  readonly redirectUri: string
  /** Someone is signed in, but the application asks for more; null otherwise. */
  readonly reason: SignInReason | null
}

/**
 * Finds requests that wait.
 * @returns null for one that is unknown, over, used, or of an application no longer in force
 */
export const waitingRequests = (
  services: Pick<Services, 'pool' | 'clock' | 'random' | 'vault' | 'configuration'>,
) => {
  const requests = authRequests<PendingAuthorization>(services)
  return async (id: string): Promise<WaitingRequest | null> => {
    const request = await requests.find(id)
    if (request === null) return null
    const application = (await services.configuration.fresh()).applicationById.get(request.applicationId)
    if (application?.status !== 'active') return null
    const { request: asked, reason } = request.parameters
    return {
      id,
      application,
      expiresAt: request.expiresAt,
      loginHint: asked.loginHint,
      prompts: asked.prompts,
      redirectUri: asked.redirectUri,
      reason,
    }
  }
}

/** Where a browser goes on once its person has signed in. */
export const afterSignIn = (authRequestId: string | undefined): string =>
  authRequestId === undefined
    ? '/account'
    : `/oauth2/authorize/resume?authRequest=${encodeURIComponent(authRequestId)}`

/** @throws DomainError ERR_AUTH_REQUEST_EXPIRED for null */
export const stillWaiting = (request: WaitingRequest | null): WaitingRequest => {
  if (request === null) throw new DomainError('ERR_AUTH_REQUEST_EXPIRED')
  return request
}
