import { own } from './own.ts'

/**
 * How long events are kept: identity and governance events permanently, sign-ins and token grants for a limited time.
 * Grants are kept longer than the lifetime of refresh tokens, so that no revocation is forgotten before its tokens
 * expire.
 */
export type RetentionClass = 'permanent' | 'sign_in' | 'token'

const DAY = 86_400

/** Seconds that events of a class are kept; null for permanently. */
export const retentionSeconds: Readonly<Record<RetentionClass, number | null>> = {
  permanent: null,
  sign_in: 395 * DAY,
  token: 400 * DAY,
}

const retention: Readonly<Record<string, RetentionClass>> = {
  grant: 'token',
  grants: 'token',
  device_login: 'token',
  saml_assertion: 'token',
  session: 'sign_in',
  sign_in: 'sign_in',
}

/** Retention by the category of a stream (its name before the first `-`). */
export const retentionOf = (category: string): RetentionClass => own(retention, category) ?? 'permanent'
