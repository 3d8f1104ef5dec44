/** What a service is configured as, in the form of files. */
import { CliError, exitCodes } from '../../server/exit-codes.ts'
import type { AdminApi, ApiRecord } from '../admin-api.ts'
import type { Item, Kind, KindName, Names } from './kind.ts'
import { kinds } from './kinds.ts'

/** A record of the service. */
export interface Found {
  readonly id: string
  readonly version: number
  readonly item: Item
}

/** By kind, by key; '' is the key of the only record of a kind. */
export type Snapshot = ReadonlyMap<KindName, ReadonlyMap<string, Found>>

/** The names of all records, also of those that files do not describe, and of those that are created meanwhile. */
export interface NameBook extends Names {
  readonly add: (kind: KindName, id: string, name: string) => void
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
      const id = byName.get(`${kind}/${name}`)
      if (id === undefined) throw new CliError(exitCodes.error, `${kind}: ${name} does not exist`)
      return id
    },
  }
}

/** Converts a record of the API. */
export const itemOf = ({ fields }: Kind, record: ApiRecord, names: Names): Item =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { api = name, toFile }]) => {
      const value = record[api]
      return value === undefined ? [] : [[name, toFile === undefined ? value : toFile(value, names)]]
    }),
  )

/** Reads everything that files can describe. */
export const readSnapshot = async (
  api: AdminApi,
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
      items.set(key, { id: typeof id === 'string' ? id : '', version: Number(record['version']), item })
    }
    snapshot.set(kind.name, items)
  }
  return { snapshot, names }
}
