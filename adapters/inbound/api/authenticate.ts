import { DomainError } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import { oidcOnly } from '../../../read-models/queries/configuration.ts'
import { CLI_CLIENT_ID } from '../../application/commands/built-in.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import type { Services } from '../../application/services/services.ts'
import { accessTokens, type AccessToken } from '../oidc/access-tokens.ts'
import { accessPolicies, type PolicyOrigin } from '../../application/sign-in/access-policies.ts'
import { subjectOf } from '../../application/sign-in/references.ts'
import { tokenChecks, type GoodState } from '../../application/sign-in/token-check.ts'
import { sessionsBySecret } from '../sign-in/cookie.ts'
import type { NoteSeen } from '../../application/services/device-use.ts'
import type { ApiKeys } from './api-key-authentication.ts'
import { isStrong, type AdminTokenCaller, type CliTokenCaller, type SessionCaller } from '../http/caller.ts'
import { rolesHeldSince, type LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import type { Authenticate } from '../http/identify.ts'

const sessionCaller = (
  services: Pick<Services, 'lookups' | 'clock' | 'development' | 'configuration'>,
  seen: NoteSeen,
) => {
  const find = sessionsBySecret(services)
  const policies = accessPolicies(services)
  const rolesIn = async (session: LiveSession): Promise<Pick<SessionCaller, 'roles' | 'withheldRoles'>> => {
    const { roles, newRoles } = session
    const held = [...roles, ...newRoles]
    if (held.length === 0 || isStrong(session)) return { roles }
    const { settings } = await services.configuration.fresh()
    return settings.requireStrongForAdmins ? { roles: [], withheldRoles: held } : { roles }
  }
  return async (
    secret: string,
    origin: PolicyOrigin & { readonly ip: string },
  ): Promise<SessionCaller | undefined> => {
    const session = await find(secret)
    if (session === null || !isId('user', session.userId) || !isId('session', session.sessionId))
      return undefined
    seen(session, origin.ip)
    return {
      kind: 'session',
      userId: session.userId,
      sessionId: session.sessionId,
      name: session.name,
      email: session.email,
      ...(await rolesIn(session)),
      authTime: session.authTime,
      methods: session.methods,
      newRoles: session.newRoles,
      decision: policies.decide(services.configuration.now(), session, null, origin),
    }
  }
}

type TerminalServices = Pick<
  Services,
  'lookups' | 'vault' | 'clock' | 'configuration' | 'development' | 'publicUrl'
>

interface Terminal {
  readonly token: AccessToken
  readonly state: GoodState
  readonly configuration: Configuration
  readonly caller: Pick<AdminTokenCaller, 'userId' | 'sessionId' | 'tokenId' | 'name' | 'email' | 'decision'>
}

/** Access tokens of the command-line client, for this service itself, as long as they are valid. */
const terminals = (services: TerminalServices) => {
  const tokens = accessTokens(services)
  const { check } = tokenChecks(services)
  const policies = accessPolicies(services)
  return async (secret: string, origin: PolicyOrigin): Promise<Terminal | undefined> => {
    const token = await tokens.open(secret)
    if (!token?.audience.includes(services.publicUrl)) return undefined
    const { userId, sessionId, tokenId } = token
    if (userId === null || sessionId === null) return undefined
    const { outcome, application, configuration } = await check(
      subjectOf({ ...token, userId, sessionId }, token.offline),
      false,
    )
    if (outcome.verdict !== 'good' || oidcOnly(application)?.clientId !== CLI_CLIENT_ID) return undefined
    if (!isId('user', userId) || !isId('session', sessionId) || !isId('accessToken', tokenId))
      return undefined
    const { state } = outcome
    const { name, email } = state
    const decision = policies.decide(configuration, state, null, origin)
    return { token, state, configuration, caller: { userId, sessionId, tokenId, name, email, decision } }
  }
}

type OfTerminal<C> = (secret: string, origin: PolicyOrigin) => Promise<C | undefined>

/** A terminal acts for its user without their roles. */
const cliTokenCaller = (open: ReturnType<typeof terminals>): OfTerminal<CliTokenCaller> => {
  return async (secret, origin) => {
    const terminal = await open(secret, origin)
    return terminal && { kind: 'cli_token', ...terminal.caller, roles: [] }
  }
}

const NOT_ADMIN = 'This sign-in does not act with your roles: use one of "svc login --admin".'

/** A terminal that its user has approved for administration acts with the roles that the user had then, and still has. */
const adminTokenCaller = (
  open: ReturnType<typeof terminals>,
  { lookups }: TerminalServices,
): OfTerminal<AdminTokenCaller> => {
  return async (secret, origin) => {
    const terminal = await open(secret, origin)
    if (terminal === undefined) return undefined
    const { token, state, configuration, caller } = terminal
    if (token.adminProof === undefined) throw new DomainError('ERR_UNAUTHENTICATED', NOT_ADMIN)
    const held = await rolesHeldSince(lookups, caller.userId, token.authorizedAt)
    const isWithheld = configuration.settings.requireStrongForAdmins && !isStrong(state)
    return {
      kind: 'admin_token',
      ...caller,
      ...(isWithheld ? { roles: [], withheldRoles: held } : { roles: held }),
      authTime: token.adminProof,
      methods: state.methods,
    }
  }
}

/**
 * Authenticates requests to the JSON API: the session cookie, API keys, and access tokens of the command-line
 * client.
 * @param seen called for each use of a session
 */
export const authenticator = (services: TerminalServices, seen: NoteSeen, keys: ApiKeys): Authenticate => {
  const bySession = sessionCaller(services, seen)
  const terminal = terminals(services)
  const byCliToken = cliTokenCaller(terminal)
  const byAdminToken = adminTokenCaller(terminal, services)
  return async ({ kind, secret }, origin) => {
    switch (kind) {
      case 'session':
        return bySession(secret, origin)
      case 'cli_token':
        return byCliToken(secret, origin)
      case 'admin_token':
        return byAdminToken(secret, origin)
      case 'api_key':
        return keys.check(secret, origin.ip)
    }
  }
}
