/** Rows for people and for programs. */
import { printable } from './http.ts'

/** The rows of a table as text in columns, each line without spaces at its end. */
export const tableText = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [head, ...rows].map((row) => row.map(printable))
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/** Newline-delimited JSON: a record per line. */
export const ndjson = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Writes a table to a terminal, and the records as NDJSON into a pipe. */
export const writeRecords = <Row>(
  records: readonly Row[],
  head: readonly string[],
  cells: (record: Row) => readonly string[],
): void => {
  process.stdout.write(process.stdout.isTTY ? tableText(head, records.map(cells)) : ndjson(records))
}
