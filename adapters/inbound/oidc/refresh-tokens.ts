/**
 * RFC 6749 §6, RFC 9700 §4.14: refresh tokens are sealed references to a generation of a grant. Using one appends the
 * next generation at the revision in the token, so the log accepts each generation only once across instances.
 */
import { DomainError } from '../../../domain/errors.ts'
import { grantDecider, grantInForce, grantStream } from '../../../domain/grant/decider.ts'
import { epochSeconds, type Clock } from '../../kernel/clock.ts'
import type { Actor, Handle } from '../../application/services/handle.ts'
import type { OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Vault } from '../../engines/vault/vault.ts'
import type { PersonReference } from '../../application/sign-in/references.ts'
import { sealedJson } from '../../engines/vault/sealed-json.ts'

export interface RefreshToken extends PersonReference {
  readonly generation: number
  /** Seconds since 1970 */
  readonly iat: number
  readonly exp: number
}

export type Refreshed = { readonly generation: number } | { readonly refusal: string }

export const refreshTokens = (deps: {
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly clock: Clock
  readonly handle: Handle
}) => {
  const { vault, clock, handle } = deps
  const tokens = sealedJson<RefreshToken>(vault, 'refresh-token')

  return {
    issue: (reference: PersonReference, generation: number, lifetimeSeconds: number): string => {
      const { grantId, applicationId, userId, sessionId, scopes, apiResourceIds, authTime, authorizedAt } =
        reference
      const iat = epochSeconds(clock.now())
      return tokens.seal({
        grantId,
        applicationId,
        userId,
        sessionId,
        scopes,
        apiResourceIds,
        authTime,
        authorizedAt,
        generation,
        iat,
        exp: iat + lifetimeSeconds,
      })
    },

    /** Returns null if this service did not issue it, or it has expired. */
    open: (token: string): RefreshToken | null => {
      const opened = tokens.open(token)
      return opened !== null && opened.exp > epochSeconds(clock.now()) ? opened : null
    },

    /**
     * Redeems a token, or accepts it again within the grace period. A token of an earlier generation revokes the whole
     * grant; the revocation is in effect when this returns.
     */
    use: async (
      { grantId, applicationId, userId, generation }: RefreshToken,
      { refreshTokenRotation: rotate, refreshTokenGraceSeconds }: OidcApplicationConfiguration['settings'],
      actor: Actor,
    ): Promise<Refreshed> => {
      const now = clock.now()
      try {
        const { state } = await handle(
          grantDecider,
          grantStream(grantId),
          {
            type: 'refresh',
            parties: { grantId, applicationId, userId },
            generation,
            rotate,
            now,
            // Without a grace period there is no tolerance at all: the clock of the faster instance may be ahead of
            // this one.
            graceSince: refreshTokenGraceSeconds === 0 ? null : clock.in(-refreshTokenGraceSeconds),
          },
          actor,
          {
            wait: 'recorded',
            // Without rotation no append could fail, so the stream must be read.
            ...(rotate ? { presumed: { state: grantInForce(generation), revision: generation } } : {}),
          },
        )
        return state.status === 'revoked'
          ? { refusal: 'the refresh token was already used; its tokens are revoked' }
          : { generation: state.generation }
      } catch (error) {
        if (error instanceof DomainError && (error.code === 'ERR_CONFLICT' || error.code === 'ERR_NOT_FOUND'))
          return { refusal: 'the refresh token is no longer valid' }
        throw error
      }
    },

    /** Whether a token is of the current generation. Does not redeem it. */
    isCurrent: async ({ grantId, generation }: RefreshToken, actor: Actor): Promise<boolean> => {
      const { state } = await handle(grantDecider, grantStream(grantId), { type: 'inspect' }, actor, {
        wait: 'recorded',
      })
      return state.status === 'issued' && state.generation === generation
    },
  }
}

export type RefreshTokens = ReturnType<typeof refreshTokens>
