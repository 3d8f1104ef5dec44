/**
 * Where OpenID providers, with which users sign in here, report what happened there: that a user signed out (OpenID
 * Connect Back-Channel Logout 1.0 §2.5), or that sessions must end (CAEP and RISC events, pushed as in RFC 8935). The
 * sessions that the provider has opened end before the response.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { logoutIn, revocationIn, type ProviderSubject } from '../../../domain/identity-provider/statements.ts'
import { openidProviders } from '../../application/sign-in/federation/openid-provider.ts'
import { ProviderFailed, type OauthProvider } from '../../application/sign-in/federation/provider-protocol.ts'
import { endProviderSessions } from '../../application/sign-in/federation/provider-sessions.ts'
import { providerTokens, TokenRefused } from '../../application/sign-in/federation/provider-tokens.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import { BodyProblem, readBody } from '../http/body.ts'
import { isUnavailable } from '../http/errors.ts'
import { formOf } from '../http/form-body.ts'
import { neverStored, sendEmpty, sendJson, setHeaders } from '../http/respond.ts'
import type { Endpoint, Handler } from '../http/table.ts'
import { keptUserAgent } from '../http/user-agent.ts'
import type { OidcContext } from '../oidc/context.ts'
import { callbackUrl, providerEventPaths } from '../sign-in/callback-url.ts'
import { requestIdOf } from '../http/request-id.ts'

const MAX_BYTES = 64 * 1024
const BODY_MS = 10_000

type ErrorBody = (code: string, message: string) => object

const oauthError: ErrorBody = (error, error_description) => ({ error, error_description })
/** RFC 8935 §2.3 */
const setError: ErrorBody = (err, description) => ({ err, description })

/** A statement of a provider: the token, and how to read it once it was verified. */
interface Statement {
  readonly token: string
  /** Values of `typ` */
  readonly types: readonly (string | null)[]
  readonly audience: readonly string[]
  /** @returns null if it ends nothing; a text says what was expected instead */
  readonly read: (
    claims: Readonly<Record<string, unknown>>,
    issuer: string,
  ) => ProviderSubject | null | string
}

export const providerEventEndpoints = (context: OidcContext): readonly Endpoint[] => {
  const { services, clientIp, onError, limits } = context
  const { configuration, publicUrl } = services
  const openid = openidProviders(services, (id) => callbackUrl(publicUrl, id))
  const tokens = providerTokens(services, openid)
  const end = endProviderSessions(services)

  /** @throws TokenRefused for a provider that is unknown, disabled or speaks another protocol */
  const providerOf = async (id: string): Promise<OauthProvider> => {
    const { identityProviders } = await configuration.fresh()
    const provider = identityProviders.find((each) => each.id === id)
    if (provider === undefined || provider.type === 'saml' || provider.type === 'github')
      throw new TokenRefused('invalid_request', 'no enabled OpenID provider has this address')
    return provider
  }

  /** @param statementIn reads the request; a text says what is wrong with it */
  const receiving =
    (
      statementIn: (request: IncomingMessage, provider: OauthProvider) => Promise<Statement | string>,
      errorBody: ErrorBody,
      success: number,
    ): Handler =>
    async (request, response: ServerResponse, { id = '' }) => {
      const requestId = requestIdOf(request)
      neverStored(response, requestId)
      const ip = clientIp(request)
      const network = networkOf(ip)
      const refuse = (status: number, code: string, message: string): void => {
        sendJson(response, status, errorBody(code, message))
      }
      if (!limits.userinfo.take(network)) {
        setHeaders(response, limits.userinfo.headers(network))
        refuse(429, 'invalid_request', 'too many requests; see Retry-After')
        return
      }
      try {
        const provider = await providerOf(id)
        const statement = await statementIn(request, provider)
        if (typeof statement === 'string') throw new TokenRefused('invalid_request', statement)
        const { token, types, audience, read } = statement
        const claims = await tokens.verified(provider, token, types, audience)
        const subject = read(claims, String(claims.iss))
        if (typeof subject === 'string') throw new TokenRefused('invalid_request', subject)
        if (subject !== null)
          await end(provider.id, subject, claims.iat ?? 0, {
            actorId: null,
            actorType: 'system',
            credential: { type: 'identity_provider', id: provider.id },
            ip,
            userAgent: keptUserAgent(request.headers['user-agent']),
            correlationId: requestId,
          })
        sendEmpty(response, success)
      } catch (error) {
        if (error instanceof TokenRefused) {
          services.warn(
            { identityProviderId: id, reason: error.message },
            'an event of an identity provider was rejected',
          )
          refuse(400, error.reason, error.message)
        } else if (error instanceof ProviderFailed || isUnavailable(error)) {
          setHeaders(response, { 'Retry-After': '5' })
          refuse(503, 'temporarily_unavailable', 'try again')
        } else {
          onError(error, requestId)
          refuse(500, 'server_error', 'the request could not be completed')
        }
      }
    }

  const logout = receiving(
    async (request, { clientId }) => {
      const token = (await formOf(request))?.get('logout_token')
      if (token === undefined) return 'expected a form with logout_token'
      // Providers that are older than the registered type write another one, or none.
      return { token, types: ['logout+jwt', 'jwt', null], audience: [clientId], read: logoutIn }
    },
    oauthError,
    200,
  )

  const securityEvent = receiving(
    async (request, { clientId }) => {
      const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
      if (type !== 'application/secevent+jwt') return 'Content-Type: expected application/secevent+jwt'
      try {
        const token = (await readBody(request, MAX_BYTES, BODY_MS)).toString()
        return { token, types: ['secevent+jwt'], audience: [clientId, publicUrl], read: revocationIn }
      } catch (error) {
        if (error instanceof BodyProblem) return 'the body could not be read'
        throw error
      }
    },
    setError,
    202,
  )

  return [
    { path: providerEventPaths.backchannelLogout, handlers: { POST: logout } },
    { path: providerEventPaths.securityEvents, handlers: { POST: securityEvent } },
  ]
}
