/** Reads and writes the file of a backup. */
import { createReadStream, createWriteStream } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { decrypted, encrypted, MAGIC } from '../../adapters/engines/backup/cipher.ts'
import { BackupDamaged, backupParts, type BackupPart } from '../../adapters/engines/backup/format.ts'
import { CliError, exitCodes } from './exit-codes.ts'

const OWNER_ONLY = 0o600
const SHORTEST_PASSPHRASE = 12

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Returns the passphrase in a file, without the line break.
 * @throws CliError
 */
export const passphraseIn = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CliError(exitCodes.usage, `--passphrase-file: ${reasonOf(error)}`)
  })
  const passphrase = text.replace(/\r?\n$/, '')
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw new CliError(
      exitCodes.usage,
      `--passphrase-file: expected a passphrase of at least ${String(SHORTEST_PASSPHRASE)} characters`,
    )
  return passphrase
}

/**
 * Writes a backup to a file that only its owner can read, and that appears only when it is complete and on disk.
 * @returns its length in bytes
 * @throws CliError if the file already exists or cannot be written
 */
export const writeBackupFile = async (
  path: string,
  bytes: AsyncIterable<Buffer>,
  passphrase: string | undefined,
): Promise<number> => {
  if ((await stat(path).catch(() => undefined)) !== undefined)
    throw new CliError(exitCodes.usage, `--out: ${path} exists; choose another name`)
  const aside = `${path}.part`
  await rm(aside, { force: true })
  const file = await open(aside, 'wx', OWNER_ONLY).catch((error: unknown) => {
    throw new CliError(exitCodes.usage, `--out: ${reasonOf(error)}`)
  })
  await file.close()
  try {
    await pipeline(
      passphrase === undefined ? bytes : encrypted(bytes, passphrase),
      createWriteStream(aside, { flags: 'r+', flush: true }),
    )
    const { size } = await stat(aside)
    await rename(aside, path)
    // The file name must also survive a power failure.
    const folder = await open(dirname(path))
    await folder.sync()
    await folder.close()
    return size
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

const contentOf = async function* (path: string, passphrase: string | undefined): AsyncGenerator<Buffer> {
  const file = createReadStream(path)
  const source = file[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await source.next()
  const beginning = first.done === true ? Buffer.alloc(0) : first.value
  const isEncrypted = beginning.subarray(0, MAGIC.length).equals(MAGIC)
  const from = async function* (bytes: Buffer): AsyncGenerator<Buffer> {
    yield bytes
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value
  }
  if (isEncrypted && passphrase === undefined)
    throw new CliError(exitCodes.usage, `${path} is encrypted: --passphrase-file is required`)
  try {
    if (isEncrypted) yield* decrypted(from(beginning.subarray(MAGIC.length)), passphrase ?? '')
    else yield* from(beginning)
  } finally {
    file.destroy()
  }
}

/**
 * Reads a backup; see `backupParts`.
 * @throws CliError for a file that is unreadable or not a complete backup
 */
export const readBackupFile = async function* (
  path: string,
  passphrase: string | undefined,
): AsyncGenerator<BackupPart> {
  try {
    yield* backupParts(contentOf(path, passphrase))
  } catch (error) {
    if (error instanceof BackupDamaged)
      throw new CliError(exitCodes.error, `${path}: ${error.message}`, { cause: error })
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new CliError(exitCodes.usage, `${path}: no such file`)
    throw error
  }
}
