import { SealBroken } from './aead.ts'
import type { ServiceSeals } from './service-seals.ts'

/** Small encrypted records: authorization codes, access tokens. */
export const sealedJson = <T extends object>(
  vault: Pick<ServiceSeals, 'seal' | 'open'>,
  purpose: string,
) => ({
  seal: (value: T): string => vault.seal(purpose, JSON.stringify(value), ''),
  /** Returns null for anything that was not encrypted here for this purpose. */
  open: (sealed: string): T | null => {
    try {
      return JSON.parse(vault.open(purpose, sealed, '').toString()) as T
    } catch (error) {
      if (error instanceof SealBroken) return null
      throw error
    }
  },
})
