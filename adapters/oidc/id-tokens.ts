/**
 * OpenID Connect Core §2, §3.1.3.6: ID tokens, RS256 (RFC 7518 §3.3). Signed in the thread pool with a key parsed
 * once: a signature costs a quarter of a millisecond that the event loop never sees.
 */
import { createHash, sign, verify, createPublicKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { PersonClaims } from '../../domain/oidc/claims.ts'
import type { Configuration, SigningKey } from '../configuration.ts'

const signInPool = promisify(
  (data: Buffer, key: KeyObject, done: (error: Error | null, signature: Buffer) => void) => {
    sign('sha256', data, key, done)
  },
)
const verifyInPool = promisify(
  (data: Buffer, key: KeyObject, signature: Buffer, done: (error: Error | null, valid: boolean) => void) => {
    verify('sha256', data, key, signature, done)
  },
)

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export interface IdTokenClaims extends PersonClaims {
  readonly iss: string
  readonly aud: string
  readonly azp: string
  readonly iat: number
  readonly exp: number
  readonly auth_time: number
  readonly sid: string
  readonly at_hash: string
  readonly acr?: string
  readonly nonce?: string
}

/** Left half of the SHA-256 of the token that comes with it (OpenID Connect Core §3.1.3.6). */
export const accessTokenHash = (accessToken: string): string =>
  createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')

export const signIdToken = async (claims: IdTokenClaims, key: SigningKey): Promise<string> => {
  const data = `${encode({ alg: 'RS256', typ: 'JWT', kid: key.kid })}.${encode(claims)}`
  const signature = await signInPool(Buffer.from(data), key.privateKey)
  return `${data}.${signature.toString('base64url')}`
}

const decoded = (part: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/**
 * Whom an ID token of ours names, whether or not it has run out (OpenID Connect Core §3.1.2.1, id_token_hint).
 * Null when its key is not published any more, it was issued to another client, or it is none.
 */
export const idTokenSubject = async (
  token: string,
  clientId: string,
  issuer: string,
  { signingKeys }: Configuration,
): Promise<string | null> => {
  const [header = '', payload = '', signature = '', ...rest] = token.split('.')
  const { alg, kid } = decoded(header) ?? {}
  const key = signingKeys.find((published) => published.kid === kid)
  if (rest.length > 0 || alg !== 'RS256' || key === undefined) return null
  const publicKey = createPublicKey({ key: key.publicJwk, format: 'jwk' })
  const signed = Buffer.from(`${header}.${payload}`)
  if (!(await verifyInPool(signed, publicKey, Buffer.from(signature, 'base64url')))) return null
  const { iss, aud, sub, at_hash: isIdToken } = decoded(payload) ?? {}
  return iss === issuer && aud === clientId && typeof sub === 'string' && isIdToken !== undefined ? sub : null
}
