/** Starts test sign-ins: what an application would send, checked like its own request. */
import { hash } from 'node:crypto'
import { DomainError } from '../../../domain/errors.ts'
import { parseAuthorizationRequest } from '../../../domain/oidc/authorization-request.ts'
import { readParameters } from '../../../domain/oidc/parameters.ts'
import type { ApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import type { Services } from '../../application/services/services.ts'
import { authorizationClientOf } from '../oidc/clients.ts'
import { authRequests } from '../sign-in/auth-requests.ts'
import type { TestedRequest } from '../sign-in/pending-test.ts'
import { resumePaths, type Pending } from '../sign-in/pending-sign-on.ts'

export interface TestToStart {
  readonly applicationId: string
  /** OpenID Connect only */
  readonly scopes?: readonly string[] | undefined
  /** Whether a user who is signed in must sign in again */
  readonly signInAgain: boolean
  readonly startedBy: string
  /** Of the administrator's browser or program */
  readonly ip: string
}

const USUAL_SCOPES = ['openid', 'profile', 'email']
/** Nobody redeems the code of a test, so the challenge has no verifier. */
const CODE_CHALLENGE = hash('sha256', 'test sign-in', 'base64url')

const notTestable = (message: string): DomainError => new DomainError('ERR_CONFLICT', message)

/** @throws DomainError ERR_CONFLICT for an application that signs nobody in, ERR_INVALID for wrong scopes */
const requestOf = (
  application: ApplicationConfiguration,
  configuration: Configuration,
  scopes: readonly string[] | undefined,
): TestedRequest => {
  if (application.protocol === 'saml') {
    const [acsUrl] = application.saml.acsUrls
    if (scopes !== undefined)
      throw new DomainError('ERR_INVALID', 'scopes: not allowed for the protocol saml', '/scopes')
    if (acsUrl === undefined) throw notTestable('The application has no assertion consumer service URL.')
    return { protocol: 'saml', acsUrl }
  }
  const [redirectUri] = application.settings.redirectUris
  if (application.type === 'service') throw notTestable('An application without users cannot be tested.')
  if (redirectUri === undefined) throw notTestable('The application has no redirect URI.')
  const parsed = parseAuthorizationRequest(
    readParameters([
      ['client_id', application.clientId],
      ['redirect_uri', redirectUri],
      ['response_type', 'code'],
      ['scope', (scopes ?? USUAL_SCOPES).join(' ')],
      ['code_challenge', CODE_CHALLENGE],
      ['code_challenge_method', 'S256'],
    ]),
    authorizationClientOf(application, configuration),
  )
  if ('request' in parsed) {
    const { scopes: accepted, apiResourceIds } = parsed.request
    return { protocol: 'oidc', redirectUri, scopes: accepted, apiResourceIds }
  }
  const { problem } = parsed
  if (!problem.redirectable) throw notTestable('The redirect URI of the application is not valid.')
  throw new DomainError(
    'ERR_INVALID',
    `scopes: expected what the application can request: ${problem.description}`,
    '/scopes',
  )
}

export const testSignIns = (
  services: Pick<Services, 'pool' | 'clock' | 'random' | 'vault' | 'configuration' | 'publicUrl'>,
) => {
  const requests = authRequests<Pending>(services)
  return {
    /**
     * Returns the address that continues the test, in the browser of any user.
     * @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT, ERR_INVALID
     */
    start: async ({ applicationId, scopes, signInAgain, startedBy, ip }: TestToStart) => {
      const configuration = await services.configuration.fresh()
      const application = configuration.applicationById.get(applicationId)
      if (application === undefined) throw new DomainError('ERR_NOT_FOUND')
      if (application.status !== 'active') throw notTestable('The application is disabled.')
      const { id, expiresAt } = await requests.create(
        applicationId,
        {
          protocol: 'test',
          startedBy,
          askedAt: services.clock.now(),
          prompts: signInAgain ? ['login'] : [],
          request: requestOf(application, configuration, scopes),
          reason: null,
        },
        ip,
      )
      return { url: `${services.publicUrl}${resumePaths.test}?authRequest=${id}`, expiresAt }
    },
  }
}
