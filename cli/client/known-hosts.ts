import { CliError, exitCodes } from '../server/exit-codes.ts'
import { unreachable } from './http.ts'
import { replaceFile } from './replace-file.ts'

const TIMEOUT_MS = 10_000

/**
 * Writes the keys of the SSH authority to a file that ssh reads as a list of known hosts.
 * @param server address without a trailing slash
 * @throws CliError with exit code 5 if the service cannot be reached
 */
export const writeKnownHosts = async (server: string, path: string): Promise<void> => {
  const response = await fetch(`${server}/api/v1/ssh/known-hosts`, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { 'User-Agent': 'svc' },
  }).catch((error: unknown) => {
    throw unreachable(server, error)
  })
  const text = await response.text()
  // Anything else in the file, such as the key of another server, would be trusted too.
  if (!response.ok || !/^(?:@cert-authority \* [^\n]+\n)+$/.test(text))
    throw new CliError(exitCodes.unreachable, `${server} sent no keys of its SSH authority`)
  await replaceFile(path, text)
}
