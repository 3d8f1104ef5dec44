/**
 * The archive of an export: a ZIP file with one file for each kind, a manifest with their hashes, and a signed note over
 * the manifest. The documentation of the format is infra/docs/export.md.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import yazl from 'yazl'
import type { ExportFormat, ExportKind } from '../../../domain/export/events.ts'
import type { Instant } from '../../../domain/time.ts'
import { writeBundle } from '../../engines/audit/bundle/write.ts'
import { sealExport } from '../../engines/audit/heads.ts'
import { rootAt } from '../../engines/audit/root-at.ts'
import type { Signer } from '../../engines/audit/signer.ts'
import { treeState } from '../../engines/audit/tree.ts'
import type { LogRows } from '../../engines/audit/verify/leaves.ts'
import { exportFiles, type ExportFile, type ExportRow, type ExportSource } from './export-files.ts'

export const EXPORT_FORMAT = 'svc-export/1'

const LOG_FILE = 'log.jsonl'

/** What an archive is made of, and for whom. */
export interface Archive {
  readonly exportId: string
  readonly requestedBy: string | null
  readonly requestedAt: Instant
  readonly kinds: readonly ExportKind[]
  readonly format: ExportFormat
  readonly source: ExportSource
  /** Number of events up to the state of the archive */
  readonly size: number
  readonly logRows: LogRows
  readonly signer: Signer
  readonly now: Date
}

interface FileEntry {
  readonly name: string
  readonly kind: ExportKind
  /** Without the header of a CSV file; of the log, its events */
  readonly rows: number
  readonly bytes: number
  /** Hexadecimal */
  readonly sha256: string
  readonly fields: readonly string[] | null
}

const cellOf = (value: unknown): string =>
  value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)

/** RFC 4180; a cell that a spreadsheet would calculate starts with an apostrophe. */
const csv = (rows: readonly (readonly string[])[]): string =>
  stringify(rows as string[][], { escape_formulas: true, record_delimiter: 'windows' })

const formats: Readonly<
  Record<
    ExportFormat,
    {
      readonly header: (file: ExportFile) => string
      readonly rows: (file: ExportFile, rows: readonly ExportRow[]) => string
    }
  >
> = {
  ndjson: {
    header: () => '',
    rows: (_, rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  },
  csv: {
    header: ({ fields }) => csv([fields]),
    rows: ({ fields }, rows) => csv(rows.map((row) => fields.map((field) => cellOf(row[field] ?? null)))),
  },
}

/**
 * Returns the bytes of the archive. Keeps one page of rows in memory.
 * @param wrote called after each page with the number of rows
 * @throws DoesNotHold if the log does not match the audit tree
 */
export const writeArchive = async (
  archive: Archive,
  wrote: (rows: number) => Promise<void>,
): Promise<{ readonly checkpoint: string; readonly stream: Readable }> => {
  const { kinds, format, source, size, logRows, signer, now } = archive
  const { client, past } = source
  const { note: checkpoint } = await treeState(client)
  const entries: FileEntry[] = []

  /** Yields a file, and adds it to the manifest once it is complete. */
  const hashed = async function* (
    entry: Pick<FileEntry, 'name' | 'kind' | 'fields'>,
    text: AsyncIterable<{ readonly text: string; readonly rows: number }>,
  ): AsyncGenerator<Buffer> {
    const digest = createHash('sha256')
    let [rows, bytes] = [0, 0]
    for await (const piece of text) {
      const buffer = Buffer.from(piece.text)
      digest.update(buffer)
      rows += piece.rows
      bytes += buffer.length
      if (buffer.length > 0) yield buffer
      await wrote(piece.rows)
    }
    entries.push({ ...entry, rows, bytes, sha256: digest.digest('hex') })
  }

  const rowsOf = async function* (kind: Exclude<ExportKind, 'log'>) {
    const { header, rows } = formats[format]
    yield { text: header(exportFiles[kind]), rows: 0 }
    for await (const page of exportFiles[kind].pages(source))
      yield { text: rows(exportFiles[kind], page), rows: page.length }
  }

  const bundle = async function* () {
    const { text } = await writeBundle({ client, logRows, signer, to: size, now })
    for await (const lines of text) {
      const leaves = lines.startsWith('{"hash"') ? lines.split('\n').length - 1 : 0
      yield { text: lines, rows: leaves }
    }
  }

  const files = kinds.map((kind) =>
    kind === 'log'
      ? { name: LOG_FILE, pieces: () => hashed({ name: LOG_FILE, kind, fields: null }, bundle()) }
      : {
          name: `${kind}.${format}`,
          pieces: () =>
            hashed({ name: `${kind}.${format}`, kind, fields: exportFiles[kind].fields }, rowsOf(kind)),
        },
  )

  let manifest = Buffer.alloc(0)
  const manifestOf = async function* (): AsyncGenerator<Buffer> {
    const { exportId, requestedBy, requestedAt } = archive
    const content = {
      format: EXPORT_FORMAT,
      origin: signer.name,
      exportId,
      requestedBy,
      requestedAt,
      at: past.at,
      position: past.cut,
      size,
      rootHash: size === 0 ? null : await rootAt(client, past.cut),
      kinds,
      fileFormat: format,
      files: entries,
      checkpoint,
    }
    manifest = Buffer.from(`${JSON.stringify(content, null, 2)}\n`)
    yield manifest
  }
  const noteOf = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(sealExport(signer, manifest))
  }

  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable
  const add = (name: string, pieces: () => AsyncGenerator<Buffer>): void => {
    zip.addReadStreamLazy(name, { mtime: new Date(past.at), mode: 0o100600 }, (ready) => {
      const stream = Readable.from(pieces(), { highWaterMark: 1 })
      stream.on('error', (error) => output.destroy(error))
      ready(null, stream)
    })
  }
  zip.on('error', (error: Error) => output.destroy(error))
  for (const { name, pieces } of files) add(name, pieces)
  add('manifest.json', manifestOf)
  add('manifest.note', noteOf)
  zip.end()
  return { checkpoint: size === 0 ? '' : checkpoint, stream: output }
}
