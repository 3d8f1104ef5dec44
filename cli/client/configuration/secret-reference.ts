/** Secrets that files refer to, so that they are in no file of the configuration. */
import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { fields } from '../../../adapters/inbound/http/route.ts'
import { printable } from '../../../adapters/inbound/http/schemas.ts'
import { CliError, exitCodes } from '../../server/exit-codes.ts'

export const SecretReference = Type.Union(
  [
    fields({
      env: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$', title: 'the name of an environment variable' }),
    }),
    fields({ file: printable(1000, 'the path of a file, from the folder in which svc runs') }),
  ],
  { title: 'where the secret is: env or file' },
)

/**
 * Reads a secret; a line break at its end is not part of it.
 * @throws CliError naming the variable or file that is missing or empty
 */
export const secretAt = (reference: unknown): string => {
  const { env, file } = reference as { readonly env?: string; readonly file?: string }
  const missing = (what: string): CliError => new CliError(exitCodes.usage, `${what}: expected a secret`)
  if (file === undefined) {
    const value = process.env[env ?? ''] ?? ''
    if (value === '') throw missing(`environment variable ${env ?? ''}`)
    return value
  }
  try {
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    if (text !== '') return text
  } catch (error) {
    throw new CliError(exitCodes.usage, `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
  throw missing(file)
}
