/**
 * Encryption under the keyring, for stored secrets and short-lived references. Text is `v1.<key id>.<base64url box>`.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { boundedCache } from '../../kernel/bounded-cache.ts'
import { boxKey, bytesOfText, nonceSource, openBox, sealBox, SealBroken, SealLost } from './aead.ts'
import type { BoxKey, Random } from './aead.ts'
import type { Keyring } from './keyring.ts'

export interface ServiceSeals {
  /**
   * Encrypts for one purpose and one place.
   * @param purpose the kind of data; each has its own key
   * @param aad the place (an id, a name); required for decryption
   * @returns URL- and cookie-safe text: 4/3 of the plaintext's bytes and up to 67 characters more
   */
  seal(purpose: string, plaintext: Buffer | string, aad: string): string
  /**
   *
   * @throws SealBroken for anything that was not encrypted with this purpose and aad
   * @throws SealLost, a SealBroken, for data under a lost key
   */
  open(purpose: string, sealed: string, aad: string): Buffer
  /** Returns a keyed hash: equal text gives the same 43 characters, and guessing requires the keyring. */
  digest(purpose: string, text: string): string
}

const FORM = /^v1\.([\w-]{8})\.([\w-]+)$/

export const serviceSeals = (keyring: Keyring, random: Random): ServiceSeals => {
  const cache = boundedCache<BoxKey>(500)
  const nonce = nonceSource(random)
  const keyFor = (id: string, purpose: string): BoxKey => {
    const name = `${id}.${purpose}`
    const known = cache.get(name)
    if (known) return known
    if (keyring.lost.has(id)) throw new SealLost()
    const raw = keyring.keys.get(id)
    if (!raw) throw new SealBroken()
    const key = boxKey(createHmac('sha256', raw).update(`svc seal|${purpose}`).digest())
    cache.set(name, key)
    return key
  }
  const digestKeys = new Map<string, KeyObject>()
  const digestKey = (purpose: string): KeyObject => {
    const known = digestKeys.get(purpose)
    if (known) return known
    const raw = keyring.keys.get(keyring.current.service)
    if (!raw) throw new SealBroken()
    const key = createSecretKey(createHmac('sha256', raw).update(`svc digest|${purpose}`).digest())
    digestKeys.set(purpose, key)
    return key
  }
  return {
    digest: (purpose, text) => createHmac('sha256', digestKey(purpose)).update(text).digest('base64url'),
    seal: (purpose, plaintext, aad) => {
      const id = keyring.current.service
      const box = sealBox(keyFor(id, purpose), nonce(), plaintext, aad)
      return `v1.${id}.${box.toString('base64url')}`
    },
    open: (purpose, sealed, aad) => {
      const [, id, box] = FORM.exec(sealed) ?? []
      if (id === undefined || box === undefined) throw new SealBroken()
      return openBox(keyFor(id, purpose), bytesOfText(box), aad)
    },
  }
}
