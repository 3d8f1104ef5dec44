/** What a service is configured as, in the form of files. */
import { CliError, exitCodes } from '../../server/exit-codes.ts'
import { ApiFailure, type AdminApi, type ApiRecord } from '../admin-api.ts'
import { isId } from '../../../domain/ids.ts'
import type { Desired, Item, Kind, KindName, Names, ReferenceKind } from './kind.ts'
import { kinds } from './kinds.ts'
import { collector } from './references.ts'

/** A record of the service. */
export interface Found {
  readonly id: string
  readonly version: number
  readonly item: Item
  /** The secrets that the service has for it, by field */
  readonly stored: readonly string[]
}

/** By kind, by key; '' is the key of the only record of a kind. */
export type Snapshot = ReadonlyMap<KindName, ReadonlyMap<string, Found>>

/** The names of all records, also of those that files do not describe, and of those that are created meanwhile. */
export interface NameBook extends Names {
  readonly add: (kind: ReferenceKind, id: string, name: string) => void
}

const nameBook = (): NameBook => {
  const byId = new Map<string, string>()
  const byName = new Map<string, string>()
  return {
    add: (kind, id, name) => {
      byId.set(`${kind}/${id}`, name)
      byName.set(`${kind}/${name}`, id)
    },
    nameOf: (kind, id) => byId.get(`${kind}/${id}`) ?? id,
    idOf: (kind, name) => {
      const id = kind === 'users' && isId('user', name) ? name : byName.get(`${kind}/${name}`)
      if (id === undefined) throw new CliError(exitCodes.error, `${kind}: ${name} does not exist`)
      return id
    },
  }
}

const NOT_FOUND = 404

/** Learns the addresses of users whom records name. */
const addUserNames = async (api: AdminApi, ids: Iterable<string>, names: NameBook): Promise<void> => {
  for (const id of ids) {
    try {
      const { email, status } = await api.send('GET', `/users/${id}`)
      if (status !== 'deleted') names.add('users', id, String(email).toLowerCase())
    } catch (error) {
      // A user who was deleted keeps the id as a name.
      if (!(error instanceof ApiFailure) || error.status !== NOT_FOUND) throw error
    }
  }
}

/**
 * Finds the users whom files name.
 * @throws CliError naming the address that no user has
 */
const findUsers = async (api: AdminApi, desired: Desired, names: NameBook): Promise<void> => {
  const { names: collecting, users } = collector()
  for (const kind of kinds)
    for (const item of desired.get(kind.name) ?? [])
      for (const [field, { toBody, storedIf }] of Object.entries(kind.fields)) {
        const value = item[field]
        if (value !== undefined && value !== null && storedIf === undefined) toBody?.(value, collecting)
      }
  for (const email of users) {
    if (isId('user', email)) continue
    const query = new URLSearchParams({ email, limit: '1' })
    const found: unknown = await api.send('GET', `/users?${query.toString()}`)
    const [user] = (Array.isArray(found) ? found : []) as readonly ApiRecord[]
    if (user === undefined) throw new CliError(exitCodes.error, `users: ${email} does not exist`)
    names.add('users', String(user['id']), email.toLowerCase())
  }
}

/** The secrets that the service has for a record. */
export const storedIn = ({ fields }: Kind, record: ApiRecord): readonly string[] =>
  Object.entries(fields).flatMap(([name, { storedIf }]) =>
    storedIf !== undefined && record[storedIf] === true ? [name] : [],
  )

/** The variable from which another service gets a secret of a record. */
const variableFor = (...parts: readonly string[]): string =>
  parts
    .join('_')
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')

/** Converts a record of the API. */
export const itemOf = (kind: Kind, record: ApiRecord, names: Names): Item =>
  Object.fromEntries(
    Object.entries(kind.fields).flatMap(([name, { api = name, toFile, storedIf }]) => {
      if (storedIf !== undefined)
        return record[storedIf] === true
          ? [[name, { env: variableFor(kind.name, String(record[kind.key ?? '']), name) }]]
          : []
      const value = record[api]
      return value === undefined ? [] : [[name, toFile === undefined ? value : toFile(value, names)]]
    }),
  )

/**
 * Reads everything that files can describe.
 * @param desired files whose references to users are looked up as well
 */
export const readSnapshot = async (
  api: AdminApi,
  desired: Desired = new Map(),
): Promise<{ readonly snapshot: Snapshot; readonly names: NameBook }> => {
  const names = nameBook()
  const records = new Map<Kind, readonly ApiRecord[]>()
  for (const kind of kinds) {
    const found = kind.key === null ? [await api.send('GET', kind.path)] : await api.list(kind.path)
    records.set(kind, found)
    // A mapping is called after its group, to which nothing else refers.
    if (kind.key !== null && kind.fields[kind.key]?.api === undefined)
      for (const record of found) names.add(kind.name, String(record['id']), String(record[kind.key]))
  }
  const { names: collecting, users } = collector()
  for (const [kind, found] of records) for (const record of found) itemOf(kind, record, collecting)
  await addUserNames(api, users, names)
  await findUsers(api, desired, names)
  const snapshot = new Map<KindName, ReadonlyMap<string, Found>>()
  for (const [kind, found] of records) {
    const items = new Map<string, Found>()
    for (const record of found.filter((each) => kind.isManaged?.(each) ?? true)) {
      const item = itemOf(kind, record, names)
      const key = kind.key === null ? '' : String(item[kind.key])
      if (items.has(key))
        throw new CliError(
          exitCodes.error,
          `${kind.name}: ${key} exists twice, which files cannot describe. Merge these records first`,
        )
      const { id } = record
      items.set(key, {
        id: typeof id === 'string' ? id : '',
        version: Number(record['version'] ?? 0),
        item,
        stored: storedIn(kind, record),
      })
    }
    snapshot.set(kind.name, items)
  }
  return { snapshot, names }
}
