/** What the clients of OpenID providers and of GitHub have in common, around openid-client. */
import { AuthorizationResponseError, type CustomFetch } from 'openid-client'
import type { Egress } from '../../../engines/egress/client.ts'
import { ProviderDenied, ProviderFailed } from './provider-protocol.ts'

const TIMEOUT_MS = 8000
/** Bytes: key sets and user information are much smaller. */
const MAX_ANSWER = 256 * 1024

const noBody = new Set([204, 205, 304])

/** Requests of the client go through the service's egress rules, and follow no redirects. */
export const fetchBy =
  (egress: Pick<Egress, 'send'>): CustomFetch =>
  async (url, { method, headers, body }) => {
    if (method !== 'GET' && method !== 'POST') throw new Error(`unexpected method ${method}`)
    const text = body === undefined || body === null ? {} : { body: String(body as URLSearchParams) }
    const answer = await egress.send(url, {
      ...{ method, headers, ...text },
      ...{ timeout: TIMEOUT_MS, limit: MAX_ANSWER },
    })
    const { status } = answer
    return new Response(noBody.has(status) ? null : answer.text, { status, headers: answer.headers })
  }

/** Returns what is wrong with a response, for administrators. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}

/** Returns the failure that an error of a response already is, or says; null for any other. */
export const responseErrorOf = (error: unknown): ProviderDenied | ProviderFailed | null => {
  if (error instanceof ProviderDenied || error instanceof ProviderFailed) return error
  if (error instanceof AuthorizationResponseError)
    return new ProviderDenied(`${error.error}: ${error.error_description ?? ''}`)
  return null
}
