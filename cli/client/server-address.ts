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
