/**
 * Authorization codes: RFC 6749 §4.1.2, RFC 9700 §2.1.1, §4.5. A code is a sealed record, bound to client, redirect
 * URI and PKCE challenge, and valid for 60 seconds. Redeeming it creates the stream of its grant, which can be created
 * only once, so the log makes it single-use across instances. Redeeming it again revokes the grant.
 */
import { DomainError } from '../../../domain/errors.ts'
import { grantDecider, grantStream } from '../../../domain/grant/decider.ts'
import type { GrantData } from '../../../domain/grant/events.ts'
import { isVerified } from '../../../domain/oidc/pkce.ts'
import type { CodeGrantRequest } from '../../../domain/oidc/token-request.ts'
import { epochSeconds, type Clock } from '../../kernel/clock.ts'
import type { Actor, Handle } from '../../application/services/handle.ts'
import { boundedCache } from '../../kernel/bounded-cache.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import type { Vault } from '../../engines/vault/vault.ts'
import type { PersonReference } from '../../application/sign-in/references.ts'
import { sealedJson } from '../../engines/vault/sealed-json.ts'

export const CODE_LIFETIME_SECONDS = 60

/** Maximum number of codes in memory: what a busy instance issues within about a second. */
const MAX_ISSUED = 1000

/** The contents of a code. */
export interface AuthorizationCode extends PersonReference {
  readonly redirectUri: string
  readonly codeChallenge: string | null
  readonly nonce: string | null
  /** Seconds since 1970 */
  readonly exp: number
}

export const authorizationCodes = (deps: {
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly clock: Clock
  readonly handle: Handle
}) => {
  const { vault, clock, handle } = deps
  const codes = sealedJson<AuthorizationCode>(vault, 'authorization-code')
  // Most codes come back to the process that issued them, which need not decrypt them. By the hash of the code, so that it
  // holds nothing that could be presented.
  const issued = boundedCache<AuthorizationCode>(MAX_ISSUED)

  return {
    issue: (content: Omit<AuthorizationCode, 'exp'>): string => {
      const code = { ...content, exp: epochSeconds(clock.now()) + CODE_LIFETIME_SECONDS }
      const text = codes.seal(code)
      issued.set(hashSecret(text), code)
      return text
    },

    /** Returns null for anything that this service did not issue as a code. */
    open: (text: string): AuthorizationCode | null => {
      const hash = hashSecret(text)
      const known = issued.get(hash)
      if (known === undefined) return codes.open(text)
      issued.delete(hash)
      return known
    },

    /**
     * Returns why this client may not redeem the code; null if it may. These checks do not use up the code: another
     * client can neither redeem it nor cause a revocation.
     */
    problem: (code: AuthorizationCode, applicationId: string, request: CodeGrantRequest): string | null => {
      if (code.applicationId !== applicationId) return 'the code was issued to another client'
      if (code.redirectUri !== request.redirectUri) return 'redirect_uri differs from the one authorized'
      if (!isVerified(code.codeChallenge, request.codeVerifier, hashSecret))
        return code.codeChallenge === null
          ? 'code_verifier was sent, but the authorization request had no code_challenge'
          : 'code_verifier does not match'
      return null
    },

    /**
     * Redeems the code and returns null, or the reason for rejecting it. Revokes the grant of a code that was already
     * used, even if the code has expired since. The revocation is in effect when this returns.
     */
    redeem: async (code: AuthorizationCode, actor: Actor): Promise<string | null> => {
      const { grantId, applicationId, userId, sessionId, scopes, apiResourceIds, authTime } = code
      const revoke = () =>
        handle(
          grantDecider,
          grantStream(grantId),
          { type: 'revoke', parties: { grantId, applicationId, userId }, reason: 'code_reused' },
          actor,
        )
      if (code.exp <= epochSeconds(clock.now())) {
        await revoke()
        return 'the code has expired'
      }
      const grant: GrantData = {
        grantId,
        applicationId,
        userId,
        sessionId,
        scopes,
        apiResourceIds,
        authTime,
        grantType: 'authorization_code',
      }
      try {
        // Grants are not in the read models, so there is no projection to wait for.
        await handle(grantDecider, grantStream(grantId), { type: 'issue', grant }, actor, {
          wait: 'recorded',
          presumed: { state: grantDecider.initial, revision: -1 },
        })
        return null
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'ERR_CONFLICT') throw error
      }
      await revoke()
      return 'the code was already used; its tokens are revoked'
    },
  }
}

export type AuthorizationCodes = ReturnType<typeof authorizationCodes>
