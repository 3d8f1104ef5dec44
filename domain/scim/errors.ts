/** RFC 7644 §3.12: errors as SCIM clients read them. */
import { DomainError, errors } from '../errors.ts'

export const ERROR_URN = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** RFC 7644 §3.12, table 9, as far as this server says them. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

/** A refusal on its way to a SCIM client. */
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
  new ScimError(404, null, `There is no ${what} with the id ${id}.`)

/** The body of an error answer. The status is text. */
export const errorBody = ({ status, scimType, message }: ScimError) => ({
  schemas: [ERROR_URN],
  status: String(status),
  ...(scimType === null ? {} : { scimType }),
  detail: message,
})

/** Fields of people and groups that no two may share. */
const unique: ReadonlySet<string | undefined> = new Set(['/email', '/userName', '/externalId', '/name'])

/** What a command refused, as a SCIM client is told of it. */
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
