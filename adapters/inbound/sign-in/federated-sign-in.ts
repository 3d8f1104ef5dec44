/** Signing in with an identity provider: leaving for it, coming back, and what its word opens here. */
import { DomainError, type ErrorCode } from '../../../domain/errors.ts'
import { identityIn, type AssertedIdentity } from '../../../domain/identity-provider/claims.ts'
import type { IdentityProviderConfiguration } from '../../../read-models/queries/configuration.ts'
import { raisesUntil } from '../../../read-models/queries/account.ts'
import type { Instant } from '../../../domain/time.ts'
import { userCommands } from '../../application/commands/users.ts'
import type { Actor } from '../../application/services/handle.ts'
import type { Services } from '../../application/services/services.ts'
import { PolicyRefusal } from '../../application/sign-in/access-policies.ts'
import { recordUse } from '../../application/sign-in/method-use.ts'
import {
  federatedAccounts,
  type FederatedUser,
} from '../../application/sign-in/federation/federated-accounts.ts'
import { providerSessionOf } from '../../application/sign-in/federation/provider-sessions.ts'
import {
  ProviderFailed,
  type AuthorizationWish,
  type ProvenIdentity,
} from '../../application/sign-in/federation/provider-protocol.ts'
import { newId } from '../../kernel/ids.ts'
import { actorOf } from '../http/actor.ts'
import type { Reply } from '../http/route.ts'
import { signInCompletion, type Proof, type SignInRequest } from './complete-sign-in.ts'
import { federatedFailures, failureCode } from './federated-failures.ts'
import { federatedTests } from './federated-test.ts'
import { federationFlows, toSignIn, type FederationFlow, type FederationPurpose } from './federation-flow.ts'
import { ownPath } from './own-path.ts'
import { pendingLinks } from './pending-links.ts'
import { providerProtocols, stateOf, type ProviderResponse } from './provider-protocols.ts'
import { waitingRequests, type WaitingRequest } from './waiting-request.ts'

const NO_PURPOSE = { authRequestId: null, next: null } as const

type SignInPurpose = Extract<FederationPurpose, { kind: 'sign_in' }>

/** A user whom a provider has authenticated. */
interface Arrival {
  readonly identity: AssertedIdentity
  readonly authTime: ProvenIdentity['authTime']
  readonly sid?: ProvenIdentity['sid']
  /** `ses_` id, valid for one session */
  readonly proofId: string
  /** When the user left for the provider; missing without a request, and in flows of previous releases */
  readonly begunAt?: Instant | undefined
}

export const federatedSignIn = (services: Services) => {
  const { configuration, publicUrl, clock, pool } = services
  const protocols = providerProtocols(services)
  const accounts = federatedAccounts(services)
  const flows = federationFlows(services)
  const links = pendingLinks(services)
  const tests = federatedTests(services, protocols)
  const codeOf = failureCode(services)
  const users = userCommands(services)
  const waitingFor = waitingRequests(services)
  const { complete, failed, interrupted } = signInCompletion(services)

  /** Null also while linked accounts are disabled: then no provider may create or link one either. */
  const enabled = async (identityProviderId: string): Promise<IdentityProviderConfiguration | null> => {
    const { identityProviders, methods } = await configuration.fresh()
    if (!methods.identity_provider.enabled) return null
    return identityProviders.find(({ id }) => id === identityProviderId) ?? null
  }

  const leave = async (
    provider: IdentityProviderConfiguration,
    purpose: FederationPurpose,
    wish: AuthorizationWish,
    { http }: SignInRequest,
  ): Promise<{ readonly location: string; readonly setCookies: readonly string[] }> => {
    const input = { identityProviderId: provider.id, purpose, fresh: wish.fresh }
    const { flow, setCookies } = flows.begin(input, http.cookies)
    return { location: await protocols.authorizationUrl(provider, flow.secrets, wish), setCookies }
  }

  /** The provider acts: nobody is signed in yet. */
  const actorFor = (request: SignInRequest, { id }: IdentityProviderConfiguration): Actor => ({
    ...actorOf(request),
    actorId: null,
    actorType: 'system',
    credential: { type: 'identity_provider', id },
  })

  /** @throws ProviderFailed */
  const identityOf = (
    { attributeMapping }: IdentityProviderConfiguration,
    { claims }: ProvenIdentity,
  ): AssertedIdentity => {
    const identity = identityIn(claims, attributeMapping)
    if (identity === null) throw new ProviderFailed('its response names no usable subject')
    return identity
  }

  /** The session starts at the time of the sign-in at the provider, which may be earlier. */
  const proofOf = async (
    { id: identityProviderId, phishingResistantValues }: IdentityProviderConfiguration,
    { linkId, ...user }: FederatedUser,
    { identity: { authentication }, authTime, sid, proofId, begunAt }: Arrival,
  ): Promise<Proof> => {
    const isStrong = authentication.some((value) => phishingResistantValues.includes(value))
    const now = clock.now()
    const then = authTime === null ? now : new Date(authTime * 1000).toISOString().replace('Z', '000Z')
    return {
      ...user,
      proofId,
      methodId: linkId,
      method: 'identity_provider',
      methods: [isStrong ? 'phishing_resistant_identity_provider' : 'identity_provider'],
      userVerified: false,
      // Whoever has a copy of the response must not gain what the user was granted since.
      ...(begunAt === undefined ? {} : { raises: await raisesUntil(pool, user.userId, begunAt) }),
      identityProviderId,
      upstreamAmr: authentication,
      ...(sid === undefined ? {} : { providerSession: providerSessionOf(identityProviderId, sid) }),
      authTime: then < now ? then : now,
    }
  }

  /** What is recorded and shown of a refusal. */
  const refused = async (
    request: SignInRequest,
    purpose: SignInPurpose,
    about: { readonly code: ErrorCode; readonly userId?: string | null; readonly email?: string | null },
    provider: IdentityProviderConfiguration | null,
    waiting: WaitingRequest | null,
  ): Promise<string> => {
    const { code, userId = null, email = null } = about
    const reason = federatedFailures[code]
    if (provider !== null && reason !== undefined)
      await failed(
        request,
        { userId, email, method: 'identity_provider', identityProviderId: provider.id, reason },
        waiting,
      )
    return toSignIn(purpose, { error: code })
  }

  /** @param ended `Set-Cookie` values that end the sign-in in progress */
  const signIn = async (
    request: SignInRequest,
    provider: IdentityProviderConfiguration,
    purpose: SignInPurpose,
    arrive: () => Promise<Arrival>,
    ended: readonly string[],
  ): Promise<Reply<undefined>> => {
    const waiting = purpose.authRequestId === null ? null : await waitingFor(purpose.authRequestId)
    const to = (location: string, cookies: readonly string[] = []): Reply<undefined> => ({
      headers: { Location: location, 'Set-Cookie': [...ended, ...cookies] },
    })
    const refuse = async (about: Parameters<typeof refused>[2]) =>
      to(await refused(request, purpose, about, provider, waiting))
    if (purpose.authRequestId !== null && waiting === null)
      return refuse({ code: 'ERR_AUTH_REQUEST_EXPIRED' })
    const arrival = await arrive()
    const { identity } = arrival
    const resolution = await accounts.resolve(provider, identity, actorFor(request, provider))
    if (resolution.outcome === 'refused') return refuse({ ...resolution, email: identity.email })
    if (resolution.outcome === 'confirm') {
      const { userId, account } = resolution
      await interrupted(
        request,
        {
          ...{ userId, email: account.email, method: 'identity_provider' },
          ...{ identityProviderId: provider.id, reason: 'link_confirmation_required' },
        } as const,
        waiting,
      )
      return to(toSignIn(purpose, { again: '1', link: provider.id }), [
        links.keep({ userId, account, emailVerified: identity.emailVerified }),
      ])
    }
    const { user } = resolution
    const proof = await proofOf(provider, user, arrival)
    try {
      const { body, headers = {} } = await complete(
        request,
        proof,
        waiting,
        'ERR_NOT_LINKED',
        waiting === null ? (purpose.next ?? undefined) : undefined,
      )
      await recordUse(pool, user.linkId, 0, clock.now())
      const cookies = headers['Set-Cookie'] ?? []
      return to(body?.redirectTo ?? '/account', typeof cookies === 'string' ? [cookies] : cookies)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      // Recorded already.
      const again = error.code === 'ERR_STRONGER_AUTH_REQUIRED' || error.code === 'ERR_REAUTH_REQUIRED'
      const risk = error instanceof PolicyRefusal && error.risk !== null ? { risk: error.risk } : {}
      return to(toSignIn(purpose, { error: error.code, ...(again ? { again: '1' } : {}), ...risk }))
    }
  }

  const addToOwn = async (
    request: SignInRequest,
    provider: IdentityProviderConfiguration,
    flow: FederationFlow,
    { userId, sessionId }: Extract<FederationPurpose, { kind: 'link' }>,
    response: ProviderResponse,
  ): Promise<void> => {
    const { caller } = request
    if (caller.kind !== 'session' || caller.userId !== userId || caller.sessionId !== sessionId)
      throw new DomainError('ERR_PROVIDER_STATE')
    if (provider.linking === 'never') throw new DomainError('ERR_PROVIDER_STATE')
    // The proof that this change needs was given before the user was granted roles.
    if (caller.newRoles.length > 0) throw new DomainError('ERR_REAUTH_REQUIRED')
    const proven = await protocols.identity(provider, response, flow.secrets, flow)
    const { subject, email } = identityOf(provider, proven)
    const account = { linkId: newId('linkedAccount'), identityProviderId: provider.id, subject, email }
    await users.linkAccount(userId, account, actorOf(request))
  }

  /** Runs the end of a sign-in; a failure is recorded and shown on the sign-in page. */
  const orRefused = async (
    request: SignInRequest,
    purpose: SignInPurpose,
    identityProviderId: string,
    provider: IdentityProviderConfiguration | null,
    ended: readonly string[],
    work: () => Promise<Reply<undefined>>,
  ): Promise<Reply<undefined>> => {
    try {
      return await work()
    } catch (error) {
      const about = { code: codeOf(error, identityProviderId) }
      const location = await refused(request, purpose, about, provider, null)
      return { headers: { 'Set-Cookie': ended, Location: location } }
    }
  }

  /**
   * A response that this browser did not ask for: only a SAML provider may send one, if it is set so. Who has a session
   * keeps it, so that nobody can be signed in as somebody else.
   */
  const withoutRequest = async (
    request: SignInRequest,
    identityProviderId: string,
    response: ProviderResponse,
  ): Promise<Reply<undefined>> => {
    const provider = response.protocol === 'saml' ? await enabled(identityProviderId) : null
    if (response.protocol !== 'saml' || provider?.type !== 'saml' || !provider.acceptUnsolicited)
      return { headers: { Location: toSignIn(NO_PURPOSE, { error: 'ERR_PROVIDER_STATE' }) } }
    const next = ownPath(response.relayState ?? undefined, publicUrl) ?? null
    if (request.caller.kind === 'session') return { headers: { Location: next ?? '/account' } }
    const purpose = { kind: 'sign_in', authRequestId: null, next } as const
    const arrive = async () => {
      const proven = await protocols.unsolicited(provider, response.response)
      return { ...proven, identity: identityOf(provider, proven) }
    }
    return orRefused(request, purpose, identityProviderId, provider, [], () =>
      signIn(request, provider, purpose, arrive, []),
    )
  }

  return {
    /**
     * Leaves for a provider.
     * @param again whether something requires the user to authenticate now
     * @returns where the browser continues: the provider, or the sign-in page with an error
     */
    start: async (
      request: SignInRequest,
      identityProviderId: string,
      purpose: Omit<SignInPurpose, 'kind'>,
      typedHint: string | null,
      again: boolean,
    ): Promise<Reply<undefined>> => {
      const provider = await enabled(identityProviderId)
      // The page may show a provider that was disabled a moment ago.
      if (provider === null)
        return { headers: { Location: toSignIn(purpose, { error: 'ERR_PROVIDER_STATE' }) } }
      const waiting = purpose.authRequestId === null ? null : await waitingFor(purpose.authRequestId)
      if (purpose.authRequestId !== null && waiting === null)
        return { headers: { Location: toSignIn(purpose, { error: 'ERR_AUTH_REQUEST_EXPIRED' }) } }
      const loginHint = typedHint ?? waiting?.loginHint ?? null
      // Somebody with a session signs in again because something requires it.
      const fresh = again || request.caller.kind === 'session'
      try {
        const { location, setCookies } = await leave(
          provider,
          { kind: 'sign_in', ...purpose },
          { loginHint, fresh },
          request,
        )
        return { headers: { Location: location, 'Set-Cookie': setCookies } }
      } catch (error) {
        const about = { code: codeOf(error, identityProviderId) }
        const location = await refused(request, { kind: 'sign_in', ...purpose }, about, provider, waiting)
        return { headers: { Location: location } }
      }
    },

    /**
     * Leaves for a provider to link an account there.
     * @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT if the provider links no accounts, ERR_PROVIDER_FAILED
     */
    startLinking: async (
      request: SignInRequest & { readonly caller: { readonly userId: string; readonly sessionId: string } },
      identityProviderId: string,
    ): Promise<{ readonly location: string; readonly setCookies: readonly string[] }> => {
      const provider = await enabled(identityProviderId)
      if (provider === null) throw new DomainError('ERR_NOT_FOUND')
      if (provider.linking === 'never')
        throw new DomainError('ERR_CONFLICT', 'Accounts of this identity provider cannot be linked.')
      const { userId, sessionId } = request.caller
      const wish = { loginHint: null, fresh: false }
      return leave(provider, { kind: 'link', userId, sessionId }, wish, request).catch((error: unknown) => {
        throw new DomainError(codeOf(error, identityProviderId))
      })
    },

    /**
     * Leaves for a provider to test it.
     * @throws DomainError ERR_NOT_FOUND, ERR_PROVIDER_FAILED that says what is wrong with its metadata
     */
    startTest: async (
      request: SignInRequest & { readonly caller: { readonly userId: string; readonly sessionId: string } },
      identityProviderId: string,
    ): Promise<{ readonly location: string; readonly setCookies: readonly string[] }> => {
      const provider = await enabled(identityProviderId)
      if (provider === null) throw new DomainError('ERR_NOT_FOUND')
      const { userId, sessionId } = request.caller
      const wish = { loginHint: null, fresh: false }
      return leave(provider, { kind: 'test', userId, sessionId }, wish, request).catch((error: unknown) => {
        if (error instanceof ProviderFailed) throw new DomainError('ERR_PROVIDER_FAILED', error.message)
        throw error
      })
    },

    /**
     * Handles a provider's response.
     * @returns where the browser continues, as `Location`
     */
    callback: async (
      request: SignInRequest,
      identityProviderId: string,
      response: ProviderResponse,
    ): Promise<Reply<undefined>> => {
      const flow = flows.find(stateOf(response), request.http.cookies)
      const own = flow?.identityProviderId === identityProviderId ? flow : null
      if (own === null) return withoutRequest(request, identityProviderId, response)
      const { purpose } = own
      const provider = await enabled(identityProviderId)
      const ended = [flows.end(own)]
      if (purpose.kind === 'link') {
        const linked = async (): Promise<string> => {
          if (provider === null) throw new DomainError('ERR_NOT_FOUND')
          await addToOwn(request, provider, own, purpose, response)
          return '/account/security#linked-accounts'
        }
        const location = await linked().catch(
          (error: unknown) => `/account/security?error=${codeOf(error, identityProviderId)}#linked-accounts`,
        )
        return { headers: { 'Set-Cookie': ended, Location: location } }
      }
      if (purpose.kind === 'test') {
        const { caller } = request
        if (provider === null || caller.kind !== 'session' || caller.sessionId !== purpose.sessionId)
          return {
            headers: { 'Set-Cookie': ended, Location: `/console/identity-providers/${identityProviderId}` },
          }
        const location = await tests.finish(provider, { ...own, purpose }, response)
        return { headers: { 'Set-Cookie': ended, Location: location } }
      }
      return orRefused(request, purpose, identityProviderId, provider, ended, async () => {
        if (provider === null) throw new DomainError('ERR_PROVIDER_STATE')
        // A session began in another tab: who signs in again must authenticate again.
        if (request.caller.kind === 'session' && !own.fresh) throw new DomainError('ERR_PROVIDER_STATE')
        const arrive = async () => {
          const proven = await protocols.identity(provider, response, own.secrets, own)
          return {
            ...proven,
            identity: identityOf(provider, proven),
            proofId: own.proofId,
            begunAt: own.begunAt,
          }
        }
        return signIn(request, provider, purpose, arrive, ended)
      })
    },
  }
}
