/**
 * Verifies in the browser that an audit entry is in the log: with the proof that the API returns, and without trusting
 * its result. The algorithms are those of the command line; hashes and signatures come from Web Crypto.
 */
import { auditIdOf } from '../../../../../domain/audit/id.ts'
import { leafHashOf, rootOfInclusion, sameHash } from '../../../../../domain/audit/merkle.ts'
import {
  openNote,
  parseCheckpoint,
  parseVerifier,
  type Bytes,
  type Verify,
} from '../../../../../domain/audit/signed-note.ts'
import type { Instant } from '../../../../../domain/time.ts'

export interface EntryProof {
  readonly index: number
  readonly size: number
  /** Base64 */
  readonly hashes: readonly string[]
  /** The stored event, as canonical JSON */
  readonly leaf: string
}

/** What was verified */
export interface ProofResult {
  /** Whether the stored event belongs to the entry */
  readonly entry: boolean
  /** Whether its hash leads to the root hash of the checkpoint */
  readonly path: boolean
  /** Whether the key signed the checkpoint */
  readonly signature: boolean
}

const encoder = new TextEncoder()

const bytesOf = (parts: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => [...(typeof part === 'string' ? encoder.encode(part) : part)]))

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const fromBase64 = (text: string): Uint8Array | null => {
  try {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
    return toBase64(bytes) === text ? bytes : null
  } catch {
    return null
  }
}

/** Thrown where an answer of Web Crypto is needed that is not there yet. */
class Unanswered extends Error {
  readonly answer: () => Promise<void>
  constructor(answer: () => Promise<void>) {
    super('not answered yet')
    this.answer = answer
  }
}

/**
 * Runs synchronous code whose hashes and signature checks Web Crypto answers asynchronously: it starts again after each
 * answer, and finds those so far. A proof needs about twenty.
 */
const withWebCrypto = async <T>(run: (bytes: Bytes, verify: Verify) => T): Promise<T> => {
  const hashes = new Map<string, Uint8Array>()
  const checks = new Map<string, boolean>()
  const sha256: Bytes['sha256'] = (...parts) => {
    const bytes = bytesOf(parts)
    const key = toBase64(bytes)
    const known = hashes.get(key)
    if (known !== undefined) return known
    throw new Unanswered(async () => {
      hashes.set(key, new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
    })
  }
  const verify: Verify = (publicKey, text, signature) => {
    const key = [toBase64(publicKey), text, toBase64(signature)].join('\n')
    const known = checks.get(key)
    if (known !== undefined) return known
    throw new Unanswered(async () => {
      const imported = await crypto.subtle.importKey('raw', bytesOf([publicKey]), 'Ed25519', false, [
        'verify',
      ])
      checks.set(key, await crypto.subtle.verify('Ed25519', imported, bytesOf([signature]), bytesOf([text])))
    })
  }
  for (;;) {
    try {
      return run({ sha256, toBase64, fromBase64 }, verify)
    } catch (thrown) {
      if (!(thrown instanceof Unanswered)) throw thrown
      await thrown.answer()
    }
  }
}

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The id and the time of the stored event; null if a leaf is not an event. */
const eventOf = (leaf: string): { readonly id: string; readonly time: Instant } | null => {
  let event: { readonly id?: unknown; readonly metadata?: { readonly time?: unknown } }
  try {
    event = JSON.parse(leaf) as typeof event
  } catch {
    return null
  }
  const { id, metadata } = event
  const time = metadata?.time
  return typeof id === 'string' && typeof time === 'string' ? { id, time } : null
}

/**
 * @param entryId follows from the id and the time of the stored event
 * @param note the signed checkpoint (C2SP tlog-checkpoint)
 * @param key the public key, as published at `/api/v1/audit/key.pub`
 */
export const verifyEntry = (
  entryId: string,
  { index, size, hashes, leaf }: EntryProof,
  note: string,
  key: string,
): Promise<ProofResult> =>
  withWebCrypto((bytes, verify) => {
    const verifier = parseVerifier(bytes, key.trim())
    const text = verifier === null ? null : openNote(bytes, note, [verifier], verify)
    const head = text === null ? null : parseCheckpoint(bytes, text)
    const event = eventOf(leaf)
    const path = hashes.map((hash) => fromBase64(hash) ?? new Uint8Array())
    const root = rootOfInclusion(bytes.sha256, index, size, leafHashOf(bytes.sha256, leaf), path)
    return {
      entry: event !== null && auditIdOf(event.time, hexOf(bytes.sha256(event.id))) === entryId,
      path: root !== null && head?.size === size && sameHash(root, head.root),
      signature: head !== null && head.origin === verifier?.name,
    }
  })
