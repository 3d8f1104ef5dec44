/**
 * A sign-in in progress at an identity provider. Nothing is stored: the browser keeps it, encrypted, in a cookie of its
 * own, so that several tabs can sign in at once. The provider sees only `state`, which names the cookie.
 */
import { SealBroken } from '../../engines/vault/aead.ts'
import type { AuthorizationSecrets } from '../../application/sign-in/federation/provider-protocol.ts'
import { newSecret } from '../../engines/vault/hash.ts'
import { newId } from '../../kernel/ids.ts'
import type { Instant } from '../../../domain/time.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import type { Services } from '../../application/services/services.ts'
import { cookieName, ownCookie, setCookie, type Cookies } from '../http/cookies.ts'

/** What the user wants from the provider. */
export type FederationPurpose =
  | {
      readonly kind: 'sign_in'
      /** The application's request that continues afterwards; null for none */
      readonly authRequestId: string | null
      /** A page of this service to continue to, if no application asked */
      readonly next: string | null
    }
  /** A signed-in user adds the account to their own. */
  | { readonly kind: 'link'; readonly userId: string; readonly sessionId: string }
  /** An administrator tries the provider. */
  | { readonly kind: 'test'; readonly userId: string; readonly sessionId: string }

/** Opens the page that shows an error; the user can try another way there. */
export const toSignIn = (
  { authRequestId, next }: Omit<Extract<FederationPurpose, { kind: 'sign_in' }>, 'kind'>,
  more: Readonly<Record<string, string>>,
): string => {
  const query = new URLSearchParams({
    ...more,
    ...(authRequestId === null ? {} : { authRequest: authRequestId }),
    ...(next === null ? {} : { return: next }),
  })
  return `/sign-in?${query.toString()}`
}

export interface FederationFlow {
  readonly identityProviderId: string
  readonly secrets: AuthorizationSecrets
  readonly purpose: FederationPurpose
  /** Whether the user had to authenticate at the provider again */
  readonly fresh: boolean
  /** `ses_` id, valid for one session */
  readonly proofId: string
  /** When the user left for the provider. Missing in flows of previous releases. */
  readonly begunAt?: Instant
}

/** How long a user can take at the provider. */
const LIFETIME_SECONDS = 900
const PREFIX = 'svc_federation_'
const PURPOSE = 'federation-flow'
/** Flows in one browser; with more, the cookies would be too long for many proxies. */
const MAX_FLOWS = 5
/** Our `state`; others are not looked up. */
const STATE = /^[\w-]{43}$/

const nameOf = (state: string): string => `${PREFIX}${state.slice(0, 16)}`

export const federationFlows = ({
  vault,
  clock,
  random,
  publicUrl,
}: Pick<Services, 'vault' | 'clock' | 'random' | 'publicUrl'>) => {
  const forgotten = (name: string): string => setCookie({ name, value: '', end: { maxAge: 0 } }, publicUrl)

  /** The cookies of other flows, if there are too many: they are removed. */
  const surplus = (cookies: Cookies): readonly string[] => {
    const prefix = cookieName(PREFIX, publicUrl)
    const others = [...cookies.keys()].filter((name) => name.startsWith(prefix))
    if (others.length < MAX_FLOWS) return []
    return others.map((name) => forgotten(PREFIX + name.slice(prefix.length)))
  }

  return {
    /** Starts a flow. @returns `Set-Cookie` values that belong to the response */
    begin: (
      input: Pick<FederationFlow, 'identityProviderId' | 'purpose' | 'fresh'>,
      cookies: Cookies,
    ): { readonly flow: FederationFlow; readonly setCookies: readonly string[] } => {
      const [state, nonce, verifier] = [newSecret('', random), newSecret('', random), newSecret('', random)]
      const begunAt = clock.now()
      const flow = { ...input, secrets: { state, nonce, verifier }, proofId: newId('session'), begunAt }
      const expires = epochSeconds(begunAt) + LIFETIME_SECONDS
      const value = vault.seal(PURPOSE, JSON.stringify({ flow, expires }), state)
      const cookie = setCookie({ name: nameOf(state), value, end: { maxAge: LIFETIME_SECONDS } }, publicUrl)
      return { flow, setCookies: [...surplus(cookies), cookie] }
    },

    /**
     * Returns the flow that a response belongs to.
     * @param state as the provider returned it
     * @returns null if this browser did not start it, or it has expired
     */
    find: (state: string | null, cookies: Cookies): FederationFlow | null => {
      const sealed =
        state !== null && STATE.test(state) ? ownCookie(cookies, nameOf(state), publicUrl) : undefined
      if (state === null || sealed === undefined) return null
      try {
        const opened = JSON.parse(vault.open(PURPOSE, sealed, state).toString()) as {
          readonly flow: FederationFlow
          readonly expires: number
        }
        return opened.expires > epochSeconds(clock.now()) ? opened.flow : null
      } catch (error) {
        if (error instanceof SealBroken) return null
        throw error
      }
    },

    /** Returns `Set-Cookie` that ends a flow. */
    end: ({ secrets }: FederationFlow): string => forgotten(nameOf(secrets.state)),
  }
}
