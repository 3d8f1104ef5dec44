import { chmod, link, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ACCEPT_LOSS_COMMAND } from '../../adapters/engines/vault/keyring.ts'
import { secretKey } from './config-values.ts'
import { CliError, exitCodes } from './exit-codes.ts'

export interface SecretKeyPlace {
  /** The folder of the file `secret-key`; created with mode 0700 if missing */
  readonly dataDir: string
  /** The embedded database's own folder: if it has content, a missing key is an error */
  readonly databaseDir: string
  /** Source of randomness */
  readonly randomBytes: (count: number) => Uint8Array
}

/**
 * Returns the key of an installation with an embedded database: reads it from `<dataDir>/secret-key`, and creates it
 * at the first start. Concurrent first starts use the same key.
 *
 * @returns at least 32 bytes as text, the form of SVC_SECRET_KEY
 * @throws CliError (exit code 2) if other users can read the file, it contains no key, or it is missing although its
 * database exists
 */
export const loadSecretKey = async (place: SecretKeyPlace): Promise<string> => {
  const path = join(place.dataDir, 'secret-key')
  const existing = await read(path)
  if (existing !== undefined) return existing
  if (await hasContent(place.databaseDir)) {
    throw new CliError(
      exitCodes.usage,
      `${path} is missing, but the secrets of the database in ${place.databaseDir} are encrypted with it. ` +
        'Restore the file from a backup, or set SVC_SECRET_KEY to the key. A new key could not decrypt them; ' +
        `if the key is permanently lost, see "${ACCEPT_LOSS_COMMAND}".`,
    )
  }
  await create(place, Buffer.from(place.randomBytes(32)).toString('base64url'))
  const made = await read(path)
  if (made === undefined)
    throw new CliError(exitCodes.error, `${path} disappeared right after it was created`)
  return made
}

/**
 * Creates the key's file for a database that is restored with it.
 * @throws CliError (exit code 2) if the folder has another key
 */
export const placeSecretKey = async (place: SecretKeyPlace, key: string): Promise<void> => {
  await create(place, key)
  if ((await read(join(place.dataDir, 'secret-key'))) !== key)
    throw new CliError(
      exitCodes.usage,
      `${place.dataDir} is not empty: it contains the secret key of another installation. Nothing was changed.`,
    )
}

export interface PresentKey {
  /** Undefined if neither the environment nor a file has one. */
  readonly key: string | undefined
  /** Stores a new key in its file. */
  readonly keep: () => Promise<void>
}

/**
 * Returns the key of an installation that lost its key: the key in the file, or a new one if the file is missing,
 * which is written only after the database has accepted it.
 * @throws CliError (exit code 2) if there is no database, other users can read the file, or it contains no key
 */
export const secretKeyAfterLoss = async (place: SecretKeyPlace): Promise<PresentKey> => {
  const existing = await read(join(place.dataDir, 'secret-key'))
  if (existing !== undefined) return { key: existing, keep: () => Promise.resolve() }
  if (!(await hasContent(place.databaseDir)))
    throw new CliError(exitCodes.usage, `${place.databaseDir} contains no database: nothing is lost`)
  const key = Buffer.from(place.randomBytes(32)).toString('base64url')
  return { key, keep: () => replaceSecretKey(place.dataDir, key) }
}

/** Replaces the key in the file, atomically and durably. */
export const replaceSecretKey = async (dataDir: string, key: string): Promise<void> => {
  const path = join(dataDir, 'secret-key')
  const aside = `${path}.new`
  await rm(aside, { force: true })
  await writeFile(aside, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
  await rename(aside, path)
}

const read = async (path: string): Promise<string | undefined> => {
  const content = await orMissing(readFile(path, 'utf8'))
  if (content === undefined) return undefined
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new CliError(
      exitCodes.usage,
      `${path} is readable by other users (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 '${path}'`,
    )
  }
  const parsed = secretKey(content.trim())
  if ('expected' in parsed) throw new CliError(exitCodes.usage, `${path} must contain ${parsed.expected}`)
  return parsed.value
}

/**
 * Writes a temporary file and links it, so that the file appears only when it is complete, and never replaces another.
 */
const create = async ({ dataDir, randomBytes }: SecretKeyPlace, key: string): Promise<void> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // If root starts the service, the database's OS user needs access to the folder, but not to the key file.
  await chmod(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
  const path = join(dataDir, 'secret-key')
  const aside = `${path}.${Buffer.from(randomBytes(6)).toString('hex')}`
  try {
    await writeFile(aside, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await link(aside, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(aside, { force: true })
  }
}

const hasContent = async (folder: string): Promise<boolean> =>
  ((await orMissing(readdir(folder))) ?? []).length > 0

const orMissing = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined
