/** RFC 7644 §3.4.2.4: index-based paging, and the list response. */
import { badRequest } from './errors.ts'

const LIST_URN = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const MAX_RESULTS = 200
const DEFAULT_RESULTS = 100

export interface Paging {
  /** Starts at 1 */
  readonly startIndex: number
  readonly count: number
}

const numberIn = (text: string | null, name: string): number | undefined => {
  if (text === null || text === '') return undefined
  if (!/^[+-]?\d{1,15}$/.test(text)) throw badRequest('invalidValue', `${name}: expected a whole number`)
  return Number(text)
}

/** @throws ScimError invalidValue if it is not a whole number */
export const readPaging = (startIndex: string | null, count: string | null): Paging => ({
  startIndex: Math.max(1, numberIn(startIndex, 'startIndex') ?? 1),
  count: Math.min(MAX_RESULTS, Math.max(0, numberIn(count, 'count') ?? DEFAULT_RESULTS)),
})

export const listResponse = (resources: readonly unknown[], totalResults: number, startIndex: number) => ({
  schemas: [LIST_URN],
  totalResults,
  itemsPerPage: resources.length,
  startIndex,
  Resources: resources,
})
