/**
 * RFC 7518 §3.3, RFC 7638: the keys that sign tokens. A key is published before it is used, and for some time
 * afterwards.
 */
import { createHash, createPublicKey } from 'node:crypto'
import {
  PREVIOUS_KEY_SECONDS,
  signingKeyDecider,
  signingKeysStream,
} from '../../../domain/signing-key/decider.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { SigningKeyData } from '../../../domain/signing-key/events.ts'
import { SIGNING_KEY_PURPOSE } from '../services/configuration.ts'
import type { Actor } from '../services/handle.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Services } from '../services/services.ts'

/** RFC 7638 §3: SHA-256 of the required members in their fixed order. */
const thumbprint = ({ e, n }: { readonly e: string; readonly n: string }): string =>
  createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url')

export const signingKeyCommands = (
  services: Pick<Services, 'configuration' | 'vault' | 'handle' | 'clock' | 'newRsaKey'>,
) => {
  const { configuration, vault, handle, clock, newRsaKey } = services

  const newKey = async (keyId: string): Promise<SigningKeyData> => {
    const privateKey = await newRsaKey()
    const { n = '', e = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    return {
      keyId,
      kid: thumbprint({ n, e }),
      alg: 'RS256',
      publicJwk: { kty: 'RSA', n, e },
      sealedPrivateKey: vault.seal(SIGNING_KEY_PURPOSE, pem, keyId),
    }
  }

  /** @returns the id of the active key */
  const rotateFrom = async (activeKeyId: string, actor: Actor): Promise<string> => {
    const { state } = await handle(
      signingKeyDecider,
      signingKeysStream,
      {
        type: 'rotate',
        activeKeyId,
        next: await newKey(idsFor(actor.idempotencyKey).newId('signingKey')),
        retiresAt: clock.in(PREVIOUS_KEY_SECONDS),
      },
      actor,
    )
    await configuration.fresh()
    return state.activeKeyId ?? activeKeyId
  }

  return {
    /** Creates a missing active or next key. If several instances start at once, one creates them. */
    ensure: async (actor: Actor): Promise<void> => {
      const { activeKey, signingKeys } = await configuration.fresh()
      if (activeKey !== null && signingKeys.some(({ status }) => status === 'next')) return
      const { newId } = idsFor(actor.idempotencyKey)
      // Sequential: key generation is slow and uses the same threads as DNS lookups.
      const active = await newKey(newId('signingKey'))
      const next = await newKey(newId('signingKey'))
      await handle(signingKeyDecider, signingKeysStream, { type: 'ensure', active, next }, actor)
      await configuration.fresh()
    },

    /**
     * Activates the next key and creates a new next one. Concurrent requests rotate only once.
     * @returns the id of the active key
     */
    rotate: async (actor: Actor): Promise<string> => {
      const { activeKey } = await configuration.fresh()
      if (activeKey === null) throw new DomainError('ERR_CONFLICT', 'No signing key is available yet.')
      return rotateFrom(activeKey.id, actor)
    },

    /**
     * Replaces an active and a next key whose private halves were lost with the secret key. The public halves
     * stay in the key set as long as tokens with their signatures can be valid. Changes nothing otherwise.
     */
    replaceLost: async (actor: Actor): Promise<void> => {
      for (;;) {
        const { activeKey, signingKeys } = await configuration.fresh()
        const active = signingKeys.find(({ status }) => status === 'active')
        if (active === undefined || activeKey !== null) return
        await rotateFrom(active.id, actor)
      }
    },

    /** Removes an expired previous key from the key set; does nothing before its expiry. */
    retire: (keyId: string, actor: Actor) =>
      handle(signingKeyDecider, signingKeysStream, { type: 'retire', keyId, now: clock.now() }, actor),
  }
}
