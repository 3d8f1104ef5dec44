import { DomainError } from '../../../domain/errors.ts'
import { strengthFor } from '../../../domain/oidc/acr.ts'
import type { SignInReason } from '../../../domain/oidc/sign-in-need.ts'
import type { RiskType } from '../../../domain/risk/events.ts'
import type { ApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Services } from '../../application/services/services.ts'
import { authRequests } from './auth-requests.ts'
import { isSignOn, isTest, resumePaths, type Pending } from './pending-sign-on.ts'

/** An application's request, pending the sign-in of its user. */
export interface WaitingRequest {
  readonly id: string
  readonly application: ApplicationConfiguration
  readonly expiresAt: string
  readonly loginHint: string | null
  /** The email domain of the user, as the application knows it */
  readonly domainHint: string | null
  readonly prompts: readonly string[]
  /** The sign-in strength that the application requests */
  readonly requiredStrength: ReturnType<typeof strengthFor>
  /** Where the response goes; a form on our pages may be sent there */
  readonly redirectUri: string
  /** Why the application requires another sign-in from a signed-in user; null otherwise */
  readonly reason: SignInReason | null
  /** The risk for which an access policy requires it */
  readonly risk: RiskType | null
  /** Where a browser continues once its user has signed in; a path of this service */
  readonly resume: string
  /** Whether it ends with a report, which also explains why a user cannot use the application */
  readonly isTest: boolean
}

const resumeAt = (path: string, id: string): string => `${path}?authRequest=${encodeURIComponent(id)}`

/** Returns what the protocol knows about a request. */
const requestedBy = (
  id: string,
  pending: Pending,
  publicUrl: string,
): Omit<WaitingRequest, 'id' | 'application' | 'expiresAt' | 'reason' | 'risk'> => {
  if (isTest(pending)) {
    const { prompts } = pending
    return {
      loginHint: null,
      domainHint: null,
      prompts,
      requiredStrength: 'none',
      redirectUri: publicUrl,
      resume: resumeAt(resumePaths.test, id),
      isTest: true,
    }
  }
  if (isSignOn(pending)) {
    const { loginHint, acsUrl } = pending
    return {
      loginHint,
      domainHint: null,
      prompts: [],
      requiredStrength: 'none',
      redirectUri: acsUrl,
      resume: resumeAt(resumePaths.saml, id),
      isTest: false,
    }
  }
  const { loginHint, domainHint, prompts, acrValues, redirectUri } = pending.request
  return {
    loginHint,
    domainHint,
    prompts,
    requiredStrength: strengthFor(acrValues),
    redirectUri,
    resume: resumeAt(resumePaths.oidc, id),
    isTest: false,
  }
}

/**
 * Finds pending requests.
 * @returns null if it is unknown, expired or used, or if the application is no longer active
 */
export const waitingRequests = (
  services: Pick<Services, 'pool' | 'clock' | 'random' | 'vault' | 'configuration' | 'publicUrl'>,
) => {
  const requests = authRequests<Pending>(services)
  return async (id: string): Promise<WaitingRequest | null> => {
    const request = await requests.find(id)
    if (request === null) return null
    const application = (await services.configuration.fresh()).applicationById.get(request.applicationId)
    if (application?.status !== 'active') return null
    const { parameters: pending, expiresAt } = request
    const known = requestedBy(id, pending, services.publicUrl)
    return {
      id,
      application,
      expiresAt,
      reason: pending.reason ?? null,
      risk: pending.risk ?? null,
      ...known,
    }
  }
}

/** Returns where a browser continues once its user has signed in. */
export const afterSignIn = (waiting: WaitingRequest | null): string => waiting?.resume ?? '/account'

/** @throws DomainError ERR_AUTH_REQUEST_EXPIRED for null */
export const stillWaiting = (request: WaitingRequest | null): WaitingRequest => {
  if (request === null) throw new DomainError('ERR_AUTH_REQUEST_EXPIRED')
  return request
}
