/** RFC 7515, RFC 7518 §3.3: JWTs signed RS256 with the service's key, off the event loop. */
import { sign } from 'node:crypto'
import { promisify } from 'node:util'
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'
import type { Configuration, SigningKey } from '../../application/services/configuration.ts'

const signature = promisify(sign)

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** @param header members besides `alg` and `kid` */
export const signJwt = async (
  header: { readonly typ: string } & Readonly<Record<string, string>>,
  claims: object,
  { kid, privateKey }: Pick<SigningKey, 'kid' | 'privateKey'>,
): Promise<string> => {
  const input = `${encoded({ alg: 'RS256', ...header, kid })}.${encoded(claims)}`
  // RSASSA-PKCS1-v1_5 is the default of Node for an RSA key.
  return `${input}.${(await signature('sha256', Buffer.from(input), privateKey)).toString('base64url')}`
}

const keySets = new WeakMap<Configuration, JWTVerifyGetKey>()

/** Returns the published keys, which verify tokens of this service. */
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
