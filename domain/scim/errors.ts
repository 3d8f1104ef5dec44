/** RFC 7644 §3.12: errors as SCIM clients read them. */
import { errors, type DomainError } from '../errors.ts'

const ERROR_URN = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** RFC 7644 §3.12, table 9, as far as this server uses them. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

/** An error response for a SCIM client. */
export class ScimError extends Error {
  readonly status: number
  readonly scimType: ScimType | null

  constructor(status: number, scimType: ScimType | null, detail: string) {
    super(detail)
    this.name = 'ScimError'
    this.status = status
    this.scimType = scimType
  }
}

export const badRequest = (scimType: Exclude<ScimType, 'uniqueness'>, detail: string): ScimError =>
  new ScimError(400, scimType, detail)

export const notFound = (what: string, id: string): ScimError =>
  new ScimError(404, null, `${what} with the id ${id} does not exist.`)

/** The body of an error response. The status is text. */
export const errorBody = ({ status, scimType, message }: ScimError) => ({
  schemas: [ERROR_URN],
  status: String(status),
  ...(scimType === null ? {} : { scimType }),
  detail: message,
})

/** Fields of users and groups that must be unique. */
const unique: ReadonlySet<string | undefined> = new Set(['/email', '/userName', '/externalId', '/name'])

/** Converts a rejected command to a SCIM error. */
export const toScimError = ({ code, message, field }: DomainError): ScimError => {
  switch (code) {
    case 'ERR_CONFLICT':
      return new ScimError(409, unique.has(field) ? 'uniqueness' : null, message)
    case 'ERR_INVALID':
    case 'ERR_INVALID_JSON':
      return badRequest('invalidValue', message)
    default:
      return new ScimError(errors[code].status, null, message)
  }
}
