/** Sends the responses of the SCIM server. */
import type { ServerResponse } from 'node:http'
import { DomainError } from '../../../domain/errors.ts'
import { badRequest, errorBody, ScimError, toScimError } from '../../../domain/scim/errors.ts'
import { isUnavailable, isUnstorable } from '../http/errors.ts'
import { sendEmpty, sendJson, sendPieces } from '../http/respond.ts'
import type { ScimAnswer } from './context.ts'

const CONTENT_TYPE = 'application/scim+json; charset=utf-8'

/** Returns the error for the client. Unexpected errors reveal nothing about their cause. */
export const refusalOf = (error: unknown): ScimError => {
  if (error instanceof ScimError) return error
  if (error instanceof DomainError) return toScimError(error)
  if (isUnavailable(error)) return new ScimError(503, null, 'The service is unavailable. Try again.')
  if (isUnstorable(error)) return badRequest('invalidValue', 'Text must not contain U+0000.')
  return new ScimError(500, null, 'The request could not be completed.')
}

export const sendResult = async (
  response: ServerResponse,
  { status, body, pieces, location }: ScimAnswer,
): Promise<void> => {
  if (location !== undefined) {
    // RFC 7643 §3.1 requires Content-Location; the examples in RFC 7644 §3 show Location.
    response.setHeader('Content-Location', location)
    response.setHeader('Location', location)
  }
  if (pieces !== undefined) await sendPieces(response, status, CONTENT_TYPE, pieces)
  else if (body === undefined) sendEmpty(response, status)
  else sendJson(response, status, body, CONTENT_TYPE)
}

export const sendRefusal = (response: ServerResponse, refusal: ScimError): void => {
  if (refusal.status === 503) response.setHeader('Retry-After', '1')
  sendJson(response, refusal.status, errorBody(refusal), CONTENT_TYPE)
}
