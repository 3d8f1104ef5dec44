/** The files of a user's SSH key, as `ssh-keygen` names them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { validityOf } from '../../adapters/engines/ssh/certificate.ts'
import {
  parseSshPublicKey,
  SshPublicKeyError,
  type SshPublicKey,
} from '../../adapters/engines/ssh/public-key.ts'
import { CliError, exitCodes } from '../server/exit-codes.ts'

const PUBLIC = '.pub'

export interface SshKeyFiles {
  readonly publicKey: string
  /** What `ssh` and `ssh-add` find next to the private key */
  readonly certificate: string
  readonly privateKey: string
}

/** @param key path of the public or the private key; undefined: the user's Ed25519 key */
export const sshKeyFiles = (key: string | undefined, homeDir: string): SshKeyFiles => {
  const named = key ?? join(homeDir, '.ssh', 'id_ed25519')
  const privateKey = named.endsWith(PUBLIC) ? named.slice(0, -PUBLIC.length) : named
  return {
    privateKey,
    publicKey: `${privateKey}${PUBLIC}`,
    certificate: `${privateKey}-cert${PUBLIC}`,
  }
}

/** The text of a file; null if there is none. */
export const textOf = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new CliError(exitCodes.error, `cannot read ${path}: ${error instanceof Error ? error.message : ''}`)
  }
}

/** @throws CliError naming the file and what it should be */
export const readPublicKey = async (path: string): Promise<SshPublicKey & { readonly line: string }> => {
  const text = await textOf(path)
  if (text === null)
    throw new CliError(
      exitCodes.usage,
      `there is no public key at ${path}. Name one with --key, or create one: ssh-keygen -t ed25519`,
    )
  try {
    const line = text.trim()
    return { ...parseSshPublicKey(line), line }
  } catch (error) {
    if (error instanceof SshPublicKeyError) throw new CliError(exitCodes.usage, `${path}: ${error.message}`)
    throw error
  }
}

/**
 * Whether a file has a certificate of the key with more than a share of its time left.
 * @param share from 0 to 1
 */
export const hasTimeLeft = async (path: string, key: SshPublicKey, share: number): Promise<boolean> => {
  const current = validityOf((await textOf(path)) ?? '', key)
  if (current === null) return false
  const left = current.validBefore - Date.now() / 1000
  return left > share * (current.validBefore - current.validAfter)
}
