import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { CliError, exitCodes } from '../server/exit-codes.ts'

const read = async (data: string): Promise<string> => {
  if (data === '-') return text(process.stdin)
  if (!data.startsWith('@')) return data
  return readFile(data.slice(1), 'utf8').catch((error: unknown) => {
    throw new CliError(
      exitCodes.usage,
      `cannot read ${data.slice(1)}: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
}

/**
 * Returns the body that an argument names: JSON, `@` and a file, or `-` for standard input.
 * @throws CliError for anything that is not JSON
 */
export const bodyFrom = async (data: string | undefined): Promise<unknown> => {
  if (data === undefined) return undefined
  const written = await read(data)
  try {
    return JSON.parse(written) as unknown
  } catch {
    throw new CliError(exitCodes.usage, '--data: expected JSON')
  }
}
