/** RFC 7515, RFC 7518 §3.3: JWTs signed RS256 with the service's key, off the event loop. */
import { createLocalJWKSet, SignJWT, type JWTVerifyGetKey } from 'jose'
import type { Configuration, SigningKey } from '../configuration.ts'

/** @param header members besides `alg` and `kid` */
export const signJwt = (
  header: { readonly typ: string } & Readonly<Record<string, string>>,
  claims: object,
  key: SigningKey,
): Promise<string> =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', ...header, kid: key.kid })
    .sign(key.privateKey)

const keySets = new WeakMap<Configuration, JWTVerifyGetKey>()

/** The published keys, to verify with what was signed here. */
export const publishedKeys = (configuration: Configuration): JWTVerifyGetKey => {
  const known = keySets.get(configuration)
  if (known !== undefined) return known
  const keys = createLocalJWKSet({
    keys: configuration.signingKeys.map(({ publicJwk, kid }) => ({
      ...publicJwk,
      kid,
      alg: 'RS256',
      use: 'sig',
    })),
  })
  keySets.set(configuration, keys)
  return keys
}
