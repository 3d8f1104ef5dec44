import { appendFile, chmod } from 'node:fs/promises'
import { CliError, exitCodes } from '../../server/exit-codes.ts'
import type { NewSecret } from './apply.ts'

/**
 * Opens the file for new secrets, for its owner only.
 * @returns appends a secret as a line of JSON
 * @throws CliError if it cannot be written
 */
export const secretsFile = async (path: string): Promise<(secret: NewSecret) => Promise<void>> => {
  try {
    await appendFile(path, '', { mode: 0o600 })
    // The file may have existed before, readable for others.
    await chmod(path, 0o600)
  } catch (error) {
    throw new CliError(
      exitCodes.usage,
      `--secrets: cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  return (secret) => appendFile(path, `${JSON.stringify(secret)}\n`)
}
