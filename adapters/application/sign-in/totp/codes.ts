/**
 * Codes of authenticator apps: RFC 6238 with SHA-1, six digits and steps of 30 seconds, which every app
 * supports (§5.2 allows at most one step of drift). The callers ensure that each code counts once (§5.2).
 */
import { Secret, TOTP } from 'otpauth'
import type { Instant } from '../../../../domain/time.ts'

/** RFC 4226 §4, R6: 160 bits. */
const SECRET_BYTES = 20
const PERIOD_SECONDS = 30
const DRIFT_STEPS = 1
const form = { algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const

/** Purpose of the encryption of an app's secret; the method's id is the associated data. */
export const AUTHENTICATOR_SECRET = 'authenticator-secret'

/** A new secret in base32 (RFC 4648 §6), for apps. */
export const newAuthenticatorSecret = (random: (bytes: number) => Buffer): string =>
  new Secret({ buffer: Uint8Array.from(random(SECRET_BYTES)).buffer }).base32

/** The content of the QR code: `otpauth://totp/…`. */
export const otpauthUri = (secret: string, issuer: string, label: string): string =>
  new TOTP({ ...form, secret, issuer, label }).toString()

/**
 * Returns the time step of a code: the current step, the previous or the next one.
 * @param secret base32
 * @param code six digits
 * @returns null if the code matches no step
 */
export const stepOf = (secret: string, code: string, now: Instant): number | null => {
  const timestamp = Date.parse(now)
  const delta = TOTP.validate({
    ...form,
    secret: Secret.fromBase32(secret),
    token: code,
    timestamp,
    window: DRIFT_STEPS,
  })
  return delta === null ? null : TOTP.counter({ period: PERIOD_SECONDS, timestamp }) + delta
}
