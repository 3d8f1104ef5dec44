import type { IncomingMessage } from 'node:http'
import { badRequest, ScimError } from '../../../domain/scim/errors.ts'
import { isStorableValue } from '../../../domain/text.ts'
import { BodyProblem, readBody } from '../http/body.ts'
import { JsonProblem, parseJson } from '../http/json.ts'

/**
 * A PATCH with 10 000 members, including names and addresses, is about 1.5 MB. Four times the limit of the JSON API is
 * more than twice that.
 */
const MAX_BYTES = 4 * 1024 * 1024
const BODY_MS = 30_000
/** Such a group has 40 000 fields and 50 000 values. */
const LIMITS = { tokens: 250_000 }

const TYPES: ReadonlySet<string> = new Set(['', 'application/json', 'application/scim+json', 'text/json'])

/** @throws ScimError 413, invalidSyntax, invalidValue */
export const readJson = async (request: IncomingMessage): Promise<unknown> => {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!TYPES.has(type)) throw badRequest('invalidSyntax', 'Content-Type: expected application/scim+json')
  try {
    const value = parseJson(await readBody(request, MAX_BYTES, BODY_MS), LIMITS)
    if (!isStorableValue(value))
      throw badRequest('invalidValue', 'Text must not contain U+0000 or unpaired surrogates.')
    return value
  } catch (error) {
    if (error instanceof JsonProblem) throw badRequest('invalidSyntax', error.message)
    if (!(error instanceof BodyProblem)) throw error
    throw error.reason === 'too_large'
      ? new ScimError(413, null, `The body is larger than ${String(MAX_BYTES)} bytes.`)
      : badRequest('invalidSyntax', 'The body could not be read.')
  }
}
