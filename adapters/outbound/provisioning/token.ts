import { SealBroken } from '../../engines/vault/aead.ts'
import type { Vault } from '../../engines/vault/vault.ts'

/** Purpose of the encryption of tokens; the application's id is the associated data. */
export const PROVISIONING_TOKEN = 'provisioning-token'

/** @returns null for a token that cannot be decrypted with the current SVC_SECRET_KEY */
export const openToken = (
  vault: Pick<Vault, 'open'>,
  { applicationId, sealedToken }: { readonly applicationId: string; readonly sealedToken: string },
): string | null => {
  try {
    return vault.open(PROVISIONING_TOKEN, sealedToken, applicationId).toString()
  } catch (error) {
    if (error instanceof SealBroken) return null
    throw error
  }
}
