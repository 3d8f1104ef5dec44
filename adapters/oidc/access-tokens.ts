/**
 * Opaque access tokens: sealed references to a grant. Opening one costs no look-up; whether it is still good is asked
 * of the person, session, application and grant it names.
 */
import { epochSeconds, type Clock } from '../clock.ts'
import type { Vault } from '../vault/vault.ts'
import { sealedJson } from './sealed-json.ts'

export interface AccessToken {
  readonly grantId: string
  readonly applicationId: string
  readonly userId: string
  readonly sessionId: string
  readonly scopes: readonly string[]
  /** Place in the log that the read models showed when the person authorized. */
  readonly authorizedAt: string
  /** Seconds since 1970. */
  readonly iat: number
  readonly exp: number
}

export const accessTokens = (deps: {
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly clock: Clock
}) => {
  const { vault, clock } = deps
  const tokens = sealedJson<AccessToken>(vault, 'access-token')
  return {
    issue: (reference: Omit<AccessToken, 'iat' | 'exp'>, lifetimeSeconds: number): string => {
      const iat = epochSeconds(clock.now())
      return tokens.seal({ ...reference, iat, exp: iat + lifetimeSeconds })
    },
    /** Null when it is not one of ours, or has run out. */
    open: (token: string): AccessToken | null => {
      const opened = tokens.open(token)
      return opened !== null && opened.exp > epochSeconds(clock.now()) ? opened : null
    },
  }
}

export type AccessTokens = ReturnType<typeof accessTokens>
