import { boundedCache } from '../../kernel/bounded-cache.ts'
import type { BoxKey } from './aead.ts'

interface Sealed {
  readonly key: BoxKey
  readonly aad: string
  readonly plaintext: string
}

/**
 * Remembers what this process has encrypted last. Its consumers read most events some milliseconds after it has
 * appended them: without this, decrypting them again takes a thirtieth of a sign-in's CPU time.
 * @param most number of ciphertexts; the oldest are forgotten first
 */
export const recentlySealed = (most: number) => {
  const entries = boundedCache<Sealed>(most)
  return {
    add: (sealed: string, entry: Sealed): void => {
      entries.set(sealed, entry)
    },

    /** Returns the plaintext, once, if it was encrypted with this key and aad; otherwise undefined. */
    take: (sealed: string, key: BoxKey, aad: string): string | undefined => {
      const entry = entries.peek(sealed)
      if (entry?.key !== key || entry.aad !== aad) return undefined
      entries.delete(sealed)
      return entry.plaintext
    },

    clear: (): void => {
      entries.clear()
    },
  }
}
