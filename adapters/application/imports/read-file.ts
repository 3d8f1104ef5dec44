/** Reads the formats of files that can be imported. */
import { parse, type Info } from 'csv-parse'
import { DomainError } from '../../../domain/errors.ts'
import { fromAuth0 } from '../../../domain/import/auth0.ts'
import {
  groupColumnsOf,
  groupOfCells,
  userColumnsOf,
  userOfCells,
} from '../../../domain/import/csv-columns.ts'
import { fromKeycloak } from '../../../domain/import/keycloak.ts'
import { fromOkta } from '../../../domain/import/okta.ts'
import type { ImportedRecord, ImportSource } from '../../../domain/import/records.ts'

/** The maximum size of a file, in bytes. */
export const MAX_IMPORT_BYTES = 32 * 1024 * 1024
/** Users and groups in one file */
export const MAX_RECORDS = 200_000

export interface ImportFile {
  readonly records: readonly ImportedRecord[]
  /** Columns that mean nothing here */
  readonly ignored: readonly string[]
}

const invalid = (message: string): DomainError => new DomainError('ERR_INVALID', `body: ${message}`)

const decoded = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('expected text in UTF-8. In Excel, save as "CSV UTF-8".')
  }
}

/** The separator that the header has most of. */
const delimiterOf = (text: string): string => {
  const header = text.slice(0, text.search(/[\r\n]|$/))
  const counted = [',', ';', '\t'].map((each) => [each, header.split(each).length] as const)
  return counted.reduce((most, each) => (each[1] > most[1] ? each : most))[0]
}

interface Row {
  readonly record: readonly string[]
  readonly info: Pick<Info, 'lines'>
}

/** @param toRecords returns what makes records of rows, or a message about the header */
const readCsv = async <Columns extends { readonly ignored: readonly string[] }>(
  text: string,
  columnsOf: (header: readonly string[]) => Columns | string,
  recordOf: (columns: Columns, cells: readonly string[], line: number) => ImportedRecord,
): Promise<ImportFile> => {
  const parser = parse(text, { delimiter: delimiterOf(text), info: true, skip_empty_lines: true })
  const records: ImportedRecord[] = []
  let columns: Columns | null = null
  try {
    for await (const { record, info } of parser as AsyncIterable<Row>) {
      if (columns === null) {
        const found = columnsOf(record)
        if (typeof found === 'string') throw invalid(found)
        columns = found
      } else {
        records.push(recordOf(columns, record, info.lines))
        if (records.length > MAX_RECORDS) throw tooMany()
      }
    }
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw invalid(`not a CSV file: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (columns === null) throw invalid('line 1: expected a header')
  return { records, ignored: columns.ignored }
}

const tooMany = (): DomainError =>
  new DomainError(
    'ERR_TOO_LARGE',
    `The file has more than ${String(MAX_RECORDS)} users and groups. Split it.`,
  )

const jsonOf = (text: string, where = ''): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(`${where}expected JSON`)
  }
}

/** A JSON array, or one object on each line. */
const objectsIn = (text: string): readonly unknown[] => {
  if (text.trimStart().startsWith('[')) {
    const array = jsonOf(text)
    return Array.isArray(array) ? array : []
  }
  return text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim()
    return trimmed === '' ? [] : [jsonOf(trimmed, `line ${String(index + 1)}: `)]
  })
}

/**
 * Returns the users and groups of a file.
 * @throws DomainError ERR_INVALID that says what was expected, ERR_TOO_LARGE
 */
export const readImportFile = async (source: ImportSource, bytes: Buffer): Promise<ImportFile> => {
  const text = decoded(bytes)
  if (source === 'users_csv') return readCsv(text, userColumnsOf, userOfCells)
  if (source === 'groups_csv') return readCsv(text, groupColumnsOf, groupOfCells)
  const records =
    source === 'auth0'
      ? fromAuth0(objectsIn(text))
      : source === 'okta'
        ? fromOkta(jsonOf(text))
        : fromKeycloak(jsonOf(text))
  if (typeof records === 'string') throw invalid(records)
  if (records.length > MAX_RECORDS) throw tooMany()
  return { records, ignored: [] }
}
