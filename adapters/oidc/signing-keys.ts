/** RFC 7517, RFC 7638: the key that signs, and the set that is published. */
import { createHash, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { signingKeyDecider, signingKeysStream } from '../../domain/signing-key/decider.ts'
import type { Services } from '../commands/deps.ts'
import { SIGNING_KEY_PURPOSE, type Configuration } from '../configuration.ts'
import type { Actor } from '../event-log/handle.ts'
import { newId } from '../ids.ts'

const generate = promisify(generateKeyPair)

/** RFC 7638 §3: SHA-256 of the required members in their fixed order. */
const thumbprint = ({ e, n }: { readonly e: string; readonly n: string }): string =>
  createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url')

/** Makes the first signing key unless there is one. Of several instances starting at once one makes it. */
export const ensureSigningKey = async (
  services: Pick<Services, 'configuration' | 'vault' | 'handle'>,
  correlationId: string,
): Promise<void> => {
  const { configuration, vault, handle } = services
  if ((await configuration.fresh()).activeKey !== null) return
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: 2048 })
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const keyId = newId('signingKey')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const key = {
    keyId,
    kid: thumbprint({ n, e }),
    alg: 'RS256' as const,
    publicJwk: { kty: 'RSA' as const, n, e },
    sealedPrivateKey: vault.seal(SIGNING_KEY_PURPOSE, pem, keyId),
  }
  const actor: Actor = { actorId: null, actorType: 'system', credential: null, ip: null, correlationId }
  await handle(signingKeyDecider, signingKeysStream, { type: 'create_first', key }, actor)
  await configuration.fresh()
}

/** The JSON Web Key Set: the key that signs, those that will and those that did. */
export const keySet = ({ signingKeys }: Configuration) => ({
  keys: signingKeys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig', alg: 'RS256' })),
})
