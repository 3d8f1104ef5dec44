/** Who can reach what, as lines of a table. */
import { CliError, exitCodes } from '../server/exit-codes.ts'
import type { AdminApi, ApiRecord } from './admin-api.ts'

const isObject = (value: unknown): value is ApiRecord => typeof value === 'object' && value !== null

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The groups that give an access, each with how the user became a member. */
export const reasonsOf = ({ via }: ApiRecord): string =>
  (Array.isArray(via) ? via : [])
    .filter(isObject)
    .map((path) => {
      const by = isObject(path['grantedBy']) ? textOf(path['grantedBy']['name']) : ''
      const since = textOf(path['since']).slice(0, 10)
      return `${textOf(path['groupName'])} (${[textOf(path['via']), by === '' ? '' : `by ${by}`, `since ${since}`].filter((part) => part !== '').join(', ')})`
    })
    .join('; ')

/** Whether both the user and the application are active. */
export const reachOf = ({ reaches, status }: ApiRecord): string =>
  reaches === true ? 'yes' : `no: ${textOf(status)}`

/**
 * Returns the id of a record that a user names.
 * @param wanted an id, or the value of the field
 * @throws CliError if there is none, or several
 */
export const idOfNamed = async (
  api: AdminApi,
  path: '/users' | '/applications',
  field: 'email' | 'name',
  wanted: string,
): Promise<string> => {
  if (/^(?:usr|app)_[0-9A-HJKMNP-TV-Z]{26}$/.test(wanted)) return wanted
  const query = new URLSearchParams({ q: wanted, limit: '200' })
  const found = (await api.send('GET', `${path}?${query.toString()}`)) as unknown
  const same = (Array.isArray(found) ? found : [])
    .filter(isObject)
    .filter((record) => textOf(record[field]).toLowerCase() === wanted.toLowerCase())
  const [first, ...others] = same
  if (first === undefined || others.length > 0)
    throw new CliError(
      exitCodes.error,
      `${wanted}: ${first === undefined ? 'no such' : 'more than one'} ${field}`,
    )
  return textOf(first['id'])
}

/** The query of a request about a past moment. */
export const momentQuery = (at: string | undefined): string =>
  at === undefined ? '' : `?${new URLSearchParams({ at }).toString()}`
