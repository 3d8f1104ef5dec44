/** Security event tokens: RFC 8417, with the restrictions of the Shared Signals Framework 1.0 §4. */
import type { Configuration } from '../../application/services/configuration.ts'
import type { QueuedSignal } from '../../application/services/shared-signal-queue.ts'
import { signJwt } from '../oidc/signed-jwt.ts'

/** Returns the signed token; it has no expiry and no `sub`, so that nobody mistakes it for another kind of token. */
export const securityEventToken = (
  { id, claims, notedAt }: QueuedSignal,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
  key: NonNullable<Configuration['activeKey']>,
): Promise<string> =>
  signJwt(
    { typ: 'secevent+jwt' },
    { iss: issuer, aud: audience, iat: Math.floor(Date.parse(notedAt) / 1000), jti: id, ...claims },
    key,
  )
