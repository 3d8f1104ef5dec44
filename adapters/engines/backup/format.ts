/**
 * A backup consists of lines of JSON: a header, then for each table its name, columns and rows, then the end. A row is
 * the list of its column values as Postgres prints them, or null. The end contains counts and a hash of the lines
 * before it.
 */
import { createHash } from 'node:crypto'
import type { LastingSchema } from '../postgres/migrate.ts'

export const FORMAT = 1

export interface BackupHeader {
  readonly backup: typeof FORMAT
  /** The version of `svc` that wrote the file */
  readonly writtenBy: string
  /** RFC 3339 */
  readonly takenAt: string
  /** SVC_EVENTSTORE_PREFIX */
  readonly prefix: string
  /** The last migration of each schema, which determines the columns of its tables */
  readonly migrations: Readonly<Record<LastingSchema, string>>
  /** Set if the secret key is a file beside an embedded database */
  readonly secretKey: string | null
}

/** The head of the audit tree */
export interface BackupTree {
  readonly size: number
  /** Base64; null for an empty tree */
  readonly root: string | null
}

export interface BackupEnd {
  readonly end: {
    /** Number of rows by table, as `<schema>.<name>` */
    readonly rows: Readonly<Record<string, number>>
    readonly tree: BackupTree
    /** SHA-256 of the lines before, hexadecimal */
    readonly sha256: string
  }
}

export interface BackupTable {
  readonly table: string
  readonly columns: readonly string[]
}

export type Row = readonly (string | null)[]

/** A file that is not a backup, or is not what was written. */
export class BackupDamaged extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`This file is not a complete backup: ${what}.`, options)
    this.name = 'BackupDamaged'
  }
}

const LINE_END = '\n'

/** Converts lines to bytes and appends the end. */
export const backupBytes = async function* (
  lines: AsyncIterable<string>,
  end: () => Omit<BackupEnd['end'], 'sha256'>,
): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  for await (const line of lines) {
    const bytes = Buffer.from(line + LINE_END)
    digest.update(bytes)
    yield bytes
  }
  yield Buffer.from(JSON.stringify({ end: { ...end(), sha256: digest.digest('hex') } }) + LINE_END)
}

const linesOf = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const parts: Buffer[] = []
  for await (const bytes of source) {
    let from = 0
    for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, from)) {
      yield Buffer.concat([...parts.splice(0), bytes.subarray(from, at)]).toString()
      from = at + 1
    }
    parts.push(bytes.subarray(from))
  }
  if (parts.some(({ length }) => length > 0)) throw new BackupDamaged('it is cut off')
}

/** The content of one line of a backup. */
export type BackupPart =
  | { readonly header: BackupHeader }
  | { readonly table: BackupTable }
  | { readonly row: Row }
  | { readonly end: BackupEnd['end'] }

const partOf = (line: string): BackupPart => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw new BackupDamaged('a line is not JSON', { cause })
  }
  if (Array.isArray(value)) return { row: value as Row }
  if (typeof value === 'object' && value !== null) {
    if ('end' in value) return value as BackupEnd
    if ('table' in value) return { table: value as BackupTable }
    if ('backup' in value) return { header: value as BackupHeader }
  }
  throw new BackupDamaged('a line has an unknown form')
}

/**
 * Reads a backup: the header first, the end last. The end is verified against everything before it.
 * @throws BackupDamaged instead of returning the end, or earlier
 */
export const backupParts = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<BackupPart> {
  const digest = createHash('sha256')
  const rows = new Map<string, number>()
  let table = ''
  let first = true
  let ended = false
  for await (const line of linesOf(source)) {
    if (ended) throw new BackupDamaged('something follows its end')
    const part = partOf(line)
    if (first !== 'header' in part) throw new BackupDamaged('it does not begin with one header')
    if ('header' in part && part.header.backup !== FORMAT)
      throw new BackupDamaged(`its format is ${String(part.header.backup)}; run the release that wrote it`)
    first = false
    if ('table' in part) {
      table = part.table.table
      rows.set(table, 0)
    }
    if ('row' in part) rows.set(table, (rows.get(table) ?? 0) + 1)
    if ('end' in part) {
      const counted = Object.entries(part.end.rows).every(([name, count]) => rows.get(name) === count)
      if (part.end.sha256 !== digest.digest('hex') || !counted) throw new BackupDamaged('it was changed')
      ended = true
    } else digest.update(line + LINE_END)
    yield part
  }
  if (!ended) throw new BackupDamaged('it is cut off')
}
