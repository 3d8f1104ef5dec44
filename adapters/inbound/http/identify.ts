/** Identifies the caller by the credentials that a route accepts. */
import { DomainError } from '../../../domain/errors.ts'
import { allows, type Role } from '../../../domain/roles.ts'
import { mustBeAllowed } from '../../application/sign-in/access-policies.ts'
import { anonymous, type Caller, type KnownCaller } from './caller.ts'
import { isOpen, type Access } from './declaration.ts'
import { API_KEY_PREFIX } from '../../engines/vault/api-key-form.ts'

/** A credential as sent, before authentication. */
export interface Presented {
  readonly kind: KnownCaller['kind']
  readonly secret: string
}

/**
 * Authenticates one credential; undefined if it is unknown, expired, revoked or of an inactive user. The caller of
 * this function checks API keys for the scope `api`.
 */
export type Authenticate = (
  presented: Presented,
  from: { readonly ip: string; readonly userAgent: string | null },
) => Promise<KnownCaller | undefined>

/**
 * Returns the only credential to check: a bearer token that the route accepts, otherwise the session cookie.
 * Credentials that the route does not accept are ignored.
 * @param session the secret of the session's cookie
 */
export const presented = (
  access: Access,
  authorization: string | undefined,
  session: string | undefined,
): Presented | undefined => {
  const accepts = (kind: KnownCaller['kind']): boolean => access.credentials.includes(kind)
  const bearer = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '')?.[1]
  if (bearer !== undefined) {
    const ofUser = accepts('admin_token') ? 'admin_token' : 'cli_token'
    const kind = bearer.startsWith(API_KEY_PREFIX) ? 'api_key' : ofUser
    if (accepts(kind)) return { kind, secret: bearer }
  }
  return session !== undefined && accepts('session') ? { kind: 'session', secret: session } : undefined
}

export const STRONGER = 'Administrators must sign in with a passkey or security key.'
const AGAIN = 'You were given this role after you signed in. Sign in again to use it.'

/** A service account's roles apply only if its key has the scope of this API. */
const isScoped = (caller: KnownCaller): boolean => caller.kind !== 'api_key' || caller.scopes.includes('api')

/** Returns why a caller lacks the required roles: the user does not have them, or the session does not. */
const missing = (caller: KnownCaller, required: readonly Role[]): DomainError => {
  if (caller.kind !== 'session' && caller.kind !== 'admin_token') return new DomainError('ERR_FORBIDDEN')
  const { roles, withheldRoles = [] } = caller
  if (allows(withheldRoles, required)) return new DomainError('ERR_STRONGER_AUTH_REQUIRED', STRONGER)
  return caller.kind === 'session' && allows([...roles, ...caller.newRoles], required)
    ? new DomainError('ERR_REAUTH_REQUIRED', AGAIN)
    : new DomainError('ERR_FORBIDDEN')
}

/**
 * Returns the caller, who has the required roles.
 * @throws DomainError ERR_UNAUTHENTICATED, ERR_FORBIDDEN, ERR_STRONGER_AUTH_REQUIRED, ERR_REAUTH_REQUIRED,
 * ERR_BLOCKED_BY_POLICY
 */
export const identify = async (
  access: Access,
  credential: Presented | undefined,
  check: (credential: Presented) => Promise<KnownCaller | undefined>,
): Promise<Caller> => {
  const identified = credential === undefined ? undefined : await check(credential)
  const known = identified?.kind === credential?.kind ? identified : undefined
  if (known !== undefined && !isScoped(known) && !isOpen({ access }))
    throw new DomainError('ERR_FORBIDDEN', 'This key cannot be used for this API: it lacks the scope api.')
  const caller = known !== undefined && isScoped(known) ? known : undefined
  if (caller === undefined) {
    if (isOpen({ access })) return anonymous
    throw new DomainError('ERR_UNAUTHENTICATED')
  }
  if (caller.kind !== 'api_key' && !isOpen({ access })) mustBeAllowed(caller.decision)
  if (access.roles !== undefined && !allows(caller.roles, access.roles)) {
    throw missing(caller, access.roles)
  }
  return caller
}
