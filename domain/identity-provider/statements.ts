/** What an identity provider says outside of a sign-in: that a user signed out there, or must be signed out here. */

type Claims = Readonly<Record<string, unknown>>

/** Whom a statement is about; one of both at least. */
export interface ProviderSubject {
  /** `sub` */
  readonly subject: string | null
  /** The session at the provider */
  readonly sid: string | null
}

const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout'

/** CAEP 1.0 §3.1, and RISC 1.0 §2.2, §2.3, §2.9: events after which nobody may stay signed in. */
const revocations: readonly string[] = [
  'https://schemas.openid.net/secevent/caep/event-type/session-revoked',
  'https://schemas.openid.net/secevent/risc/event-type/sessions-revoked',
  'https://schemas.openid.net/secevent/risc/event-type/account-disabled',
  'https://schemas.openid.net/secevent/risc/event-type/account-purged',
]

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/**
 * Reads a verified logout token (OpenID Connect Back-Channel Logout 1.0 §2.4).
 * @returns what was expected, if it is none
 */
export const logoutIn = ({ events, nonce, sub, sid }: Claims): ProviderSubject | string => {
  if (!isObject(events) || !isObject(events[LOGOUT])) return `events: expected ${LOGOUT}`
  if (nonce !== undefined) return 'nonce: not allowed in a logout token'
  const [subject, session] = [textIn(sub), textIn(sid)]
  return subject === null && session === null ? 'expected sub or sid' : { subject, sid: session }
}

/** RFC 9493 §3.2.4; `complex` (Shared Signals Framework 1.0 §3.1) names a user and possibly a session. */
const subjectIn = (value: unknown, issuer: string): ProviderSubject | null => {
  if (!isObject(value)) return null
  const format = value['format'] ?? value['subject_type']
  if (format === 'iss_sub' || format === 'iss-sub') {
    const subject = value['iss'] === issuer ? textIn(value['sub']) : null
    return subject === null ? null : { subject, sid: null }
  }
  if (format !== 'complex') return null
  const user = subjectIn(value['user'], issuer)
  const session = isObject(value['session']) ? textIn(value['session']['id']) : null
  return user === null ? null : { ...user, sid: session }
}

/**
 * Reads a verified security event token (RFC 8417).
 * @returns null if it has no event that ends sessions, or is about a subject of another issuer
 */
export const revocationIn = (
  { events, sub_id: subjectId }: Claims,
  issuer: string,
): ProviderSubject | null | string => {
  if (!isObject(events)) return 'events: expected an object'
  const event = revocations.map((type) => events[type]).find(isObject)
  return event === undefined ? null : subjectIn(subjectId ?? event['subject'], issuer)
}
