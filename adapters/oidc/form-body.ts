/** RFC 6749 §3.2, appendix B: parameters in the query or in a body of type application/x-www-form-urlencoded. */
import type { IncomingMessage } from 'node:http'
import { readParameters, type Parameters } from '../../domain/oidc/parameters.ts'
import { BodyProblem, readBody } from '../http/body.ts'

const LIMIT_BYTES = 64 * 1024
const TIMEOUT_MS = 10_000
const FORM = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

export const queryOf = ({ url = '' }: IncomingMessage): Parameters => {
  const start = url.indexOf('?')
  return readParameters(new URLSearchParams(start === -1 ? '' : url.slice(start + 1)))
}

/** Null when the body is not a form, too large, or did not come in time. */
export const formOf = async (request: IncomingMessage): Promise<Parameters | null> => {
  if (!FORM.test(request.headers['content-type'] ?? '')) return null
  try {
    const body = await readBody(request, LIMIT_BYTES, TIMEOUT_MS)
    return readParameters(new URLSearchParams(body.toString()))
  } catch (error) {
    if (error instanceof BodyProblem) return null
    throw error
  }
}
