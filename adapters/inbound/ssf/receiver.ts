/**
 * Who asks: a receiver authenticates with an access token for `<public address>/ssf`, which it gets with its client
 * credentials (RFC 6749 §4.4, RFC 6750 §2.1).
 */
import type { IncomingMessage } from 'node:http'
import { oidcOnly, type OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import type { OidcContext, OidcDeps } from '../oidc/context.ts'

export type SsfScope = 'ssf.manage' | 'ssf.read'

/** An error in the form of RFC 8935 §2.3 and RFC 8936 §2.4. */
export class SsfError extends Error {
  readonly status: number
  readonly err: string
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    err: string,
    description: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(description)
    this.name = 'SsfError'
    this.status = status
    this.err = err
    this.headers = headers
  }
}

const challenge = (more = ''): Record<string, string> => ({ 'WWW-Authenticate': `Bearer realm="ssf"${more}` })

const unauthenticated = (more?: string): SsfError =>
  new SsfError(401, 'authentication_failed', 'expected an access token for this transmitter', challenge(more))

/** Returns the scopes of the transmitter that an application has now. */
export const ssfScopesOf = (
  { apiGrants }: OidcApplicationConfiguration,
  { apiResources }: Pick<Configuration, 'apiResources'>,
  publicUrl: string,
): readonly string[] => {
  const resource = apiResources.find(({ identifier }) => identifier === ssfAudience(publicUrl))
  return apiGrants.find(({ apiResourceId }) => apiResourceId === resource?.id)?.scopes ?? []
}

/** The identifier of the API resource whose scopes admit to the management of streams. */
export const ssfAudience = (publicUrl: string): string => `${publicUrl}/ssf`

/**
 * Returns the client of a request.
 * @throws SsfError 401, 403, 429
 */
export const receivers = ({
  tokens,
  checkApplication,
  services,
  limits,
  clientIp,
}: Pick<OidcContext, 'tokens' | 'checkApplication' | 'services'> & Pick<OidcDeps, 'limits' | 'clientIp'>) => {
  const { configuration: cache, publicUrl } = services
  const audience = ssfAudience(publicUrl)
  const counted = (owner: string): void => {
    if (!limits.userinfo.take(owner))
      throw new SsfError(429, 'too_many_requests', 'see Retry-After', limits.userinfo.headers(owner))
  }

  return async (
    request: IncomingMessage,
    ...scopes: readonly SsfScope[]
  ): Promise<OidcApplicationConfiguration> => {
    const text = /^Bearer +([\w.~+/-]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1]
    const stranger = `ssf|${networkOf(clientIp(request))}`
    if (text === undefined) throw unauthenticated()
    if (limits.userinfo.isEmpty(stranger)) counted(stranger)
    const token = await tokens.open(text)
    const application = token?.userId === null ? oidcOnly(await checkApplication(token)) : null
    if (token === null || application === null || !token.audience.includes(audience)) {
      counted(stranger)
      throw unauthenticated(', error="invalid_token"')
    }
    counted(`ssf|${application.id}`)
    const granted = ssfScopesOf(application, cache.now(), publicUrl)
    const held = token.scopes.filter((scope) => granted.includes(scope))
    if (!scopes.some((scope) => held.includes(scope)))
      throw new SsfError(
        403,
        'access_denied',
        `expected a token with the scope ${scopes.join(' or ')}`,
        challenge(`, error="insufficient_scope", scope="${scopes[0] ?? ''}"`),
      )
    return application
  }
}
