/** RFC 7644 §3.4.2.2, the supported part: one `eq` comparison, and the member filter of Entra ID. */
import { isStorableValue } from '../text.ts'
import { badRequest } from './errors.ts'

/** `attribute operator value` as written. */
interface Comparison {
  readonly path: string
  readonly value: string | boolean | number | null
}

const MAX_LENGTH = 1000

const TEXT = '"(?:[^"\\\\]|\\\\.)*"'
/** An attribute path with an optional value filter: `emails[type eq "work"].value`. */
const PATH = `[A-Za-z][\\w$:.-]*(?:\\[(?:[^"\\]]|${TEXT})*\\])?(?:\\.[A-Za-z$][\\w$-]*)?`
const COMPARISON = new RegExp(
  `^ *(${PATH}) +([A-Za-z]+) +(${TEXT}|true|false|null|-?\\d+(?:\\.\\d+)?) *`,
  'i',
)

const malformed = (detail: string) => badRequest('invalidFilter', detail)

const valueOf = (written: string): Comparison['value'] => {
  let value: Comparison['value']
  try {
    value = JSON.parse(written.startsWith('"') ? written : written.toLowerCase()) as Comparison['value']
  } catch {
    throw malformed('The value of a comparison must be a JSON value.')
  }
  if (!isStorableValue(value))
    throw malformed('The value of a comparison must not contain U+0000 or unpaired surrogates.')
  return value
}

/**
 * Parses comparisons joined by `and`.
 * @throws ScimError invalidFilter
 */
export const parseComparisons = (text: string): readonly Comparison[] => {
  if (text.length > MAX_LENGTH)
    throw malformed(`A filter must have at most ${String(MAX_LENGTH)} characters.`)
  const comparisons: Comparison[] = []
  for (let rest = text; ;) {
    const match = COMPARISON.exec(rest)
    if (match === null) throw malformed('A filter must have the form attribute eq "value".')
    const [whole, path = '', operator = '', value = ''] = match
    if (operator.toLowerCase() !== 'eq') throw malformed(`The operator ${operator} is not supported; use eq.`)
    comparisons.push({ path, value: valueOf(value) })
    rest = rest.slice(whole.length)
    if (rest === '') return comparisons
    const and = /^and +/i.exec(rest)
    if (and === null || !whole.endsWith(' ')) throw malformed('Comparisons can only be joined with and.')
    rest = rest.slice(and[0].length)
  }
}

/** An attribute path in lower case, without the URN of its schema and without extra spaces. */
const plain = (path: string, urn: string): string => {
  const lower = path.toLowerCase()
  const prefix = `${urn.toLowerCase()}:`
  return (lower.startsWith(prefix) ? lower.slice(prefix.length) : lower).replace(/ +/g, ' ')
}

const textOf = ({ path, value }: Comparison): string => {
  if (typeof value !== 'string') throw malformed(`${path}: expected text in double quotes`)
  return value
}

const unsupported = (supported: string) => malformed(`Only eq filters on ${supported} are supported.`)

export interface UserFilter {
  readonly by: 'userName' | 'email' | 'externalId'
  readonly value: string
}

const userAttributes: ReadonlyMap<string, UserFilter['by']> = new Map([
  ['username', 'userName'],
  ['emails.value', 'email'],
  // The stored address is the one for work.
  ['emails[type eq "work"].value', 'email'],
  ['externalid', 'externalId'],
])

/** @throws ScimError invalidFilter */
export const parseUserFilter = (text: string, urn: string): UserFilter => {
  const [only, ...others] = parseComparisons(text)
  const by = only === undefined ? undefined : userAttributes.get(plain(only.path, urn))
  if (only === undefined || by === undefined || others.length > 0)
    throw unsupported('userName, emails.value and externalId, one at a time')
  return { by, value: textOf(only) }
}

export type GroupFilter =
  | { readonly by: 'displayName' | 'externalId'; readonly value: string }
  /** Whether a group has a member. */
  | { readonly by: 'membership'; readonly groupId: string; readonly userId: string }

/** @throws ScimError invalidFilter */
export const parseGroupFilter = (text: string, urn: string): GroupFilter => {
  const comparisons = parseComparisons(text)
  const byPath = new Map(comparisons.map((each) => [plain(each.path, urn), each]))
  const [first] = comparisons
  if (comparisons.length === 1 && first !== undefined) {
    const value = textOf(first)
    if (byPath.has('displayname')) return { by: 'displayName', value }
    if (byPath.has('externalid')) return { by: 'externalId', value }
  }
  const group = byPath.get('id')
  const member = byPath.get('members') ?? byPath.get('members.value')
  if (comparisons.length === 2 && group !== undefined && member !== undefined)
    return { by: 'membership', groupId: textOf(group), userId: textOf(member) }
  throw unsupported('displayName and externalId, one at a time')
}
