import { rename, unlink, writeFile } from 'node:fs/promises'
import { CliError, exitCodes } from '../server/exit-codes.ts'

/** Writes a file at once: a program that reads it meanwhile sees the old or the new one. */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  const temporary = `${path}.${String(process.pid)}.tmp`
  try {
    await writeFile(temporary, text, { mode: 0o644 })
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw new CliError(
      exitCodes.error,
      `cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
