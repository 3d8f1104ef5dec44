/** RFC 6749 §3.2, appendix B: parameters in the query or in a body of type application/x-www-form-urlencoded. */
import type { IncomingMessage } from 'node:http'
import { readParameters, type Parameters } from '../../../domain/oidc/parameters.ts'
import { BodyProblem, readBody } from './body.ts'

const LIMIT_BYTES = 64 * 1024
const TIMEOUT_MS = 10_000
/** Maximum number of parameters in one request; the standards define about forty. */
const MAX_PARAMETERS = 100
const FORM = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

/** Returns null for too many parameters, without decoding them. */
const parametersIn = (text: string): Parameters | null =>
  text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS
    ? null
    : readParameters(new URLSearchParams(text))

/** Returns no parameters if there are too many. */
export const queryOf = ({ url = '' }: IncomingMessage): Parameters => {
  const start = url.indexOf('?')
  return parametersIn(start === -1 ? '' : url.slice(start + 1)) ?? readParameters([])
}

/** Returns null if the body is not a form, is too large, has too many parameters, or did not arrive in time. */
export const formOf = async (request: IncomingMessage): Promise<Parameters | null> => {
  if (!FORM.test(request.headers['content-type'] ?? '')) return null
  try {
    const body = await readBody(request, LIMIT_BYTES, TIMEOUT_MS)
    return parametersIn(body.toString())
  } catch (error) {
    if (error instanceof BodyProblem) return null
    throw error
  }
}
