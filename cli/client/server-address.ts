import { CliError, exitCodes } from '../server/exit-codes.ts'

const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  /^127(?:\.\d{1,3}){3}$/.test(host)

/**
 * Returns the service's public address in the form of its issuer: an origin without a trailing slash.
 * @throws CliError with exit code 2 for an address that tokens must not be sent to
 */
export const serverAddress = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || /[?#@]/.test(text))
    throw new CliError(
      exitCodes.usage,
      '--server: expected the address of the service, for example https://id.example.com',
    )
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new CliError(
      exitCodes.usage,
      '--server: expected https; http only for this computer, because anyone on the network could read the connection',
    )
  return url.origin
}

/**
 * Returns the address of the option `--server`; without the option, of the service where the user is signed in.
 * @throws CliError with exit code 2 if there is neither
 */
export const namedServer = async (written: string | undefined): Promise<string> => {
  const { ownAdminSignIn, ownCredentials } = await import('./own-store.ts')
  const address =
    written === undefined
      ? ((await ownCredentials().read()) ?? (await ownAdminSignIn().read()))?.server
      : serverAddress(written)
  if (address === undefined)
    throw new CliError(
      exitCodes.usage,
      'name the service with --server URL, such as https://id.example.com: you are signed in to none',
    )
  return address
}
