/**
 * A second verifier of exports, written only from the documentation of the format. It shares no code with the service
 * and reads one file of the archive at a time, line by line.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { parse } from 'csv-parse'
import yauzl from 'yauzl'
import { merkleRoot, openNote, verifyBundleFile } from '../audit/bundle-verifier.ts'

interface Manifest {
  readonly format: string
  readonly origin: string
  readonly size: number
  readonly rootHash: string | null
  readonly checkpoint: string
  readonly files: readonly {
    readonly name: string
    readonly kind: string
    readonly rows: number
    readonly bytes: number
    readonly sha256: string
    readonly fields: readonly string[] | null
  }[]
}

const check = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what)
}

/** Returns the entries of a ZIP archive by name, and how to read one. */
const openZip = async (path: string) => {
  const zip = await promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)(path, {
    lazyEntries: true,
    autoClose: false,
  })
  const entries = new Map<string, yauzl.Entry>()
  await new Promise<void>((resolve, reject) => {
    zip
      .on('entry', (entry: yauzl.Entry) => {
        entries.set(entry.fileName, entry)
        zip.readEntry()
      })
      .on('end', resolve)
      .on('error', reject)
    zip.readEntry()
  })
  const stream = (name: string): Promise<Readable> => {
    const entry = entries.get(name)
    if (entry === undefined) throw new Error(`${name} is missing`)
    return promisify<yauzl.Entry, Readable>(zip.openReadStream.bind(zip))(entry)
  }
  return {
    names: [...entries.keys()],
    stream,
    whole: async (name: string): Promise<Buffer> => Buffer.concat(await (await stream(name)).toArray()),
    close: () => {
      zip.close()
    },
  }
}

type Zip = Awaited<ReturnType<typeof openZip>>
type Row = Readonly<Record<string, unknown>>

/** Yields the rows of a file. */
const rowsOf = async function* (zip: Zip, name: string): AsyncGenerator<Row> {
  const bytes = await zip.stream(name)
  if (name.endsWith('.csv')) {
    yield* bytes.pipe(parse({ columns: true })) as AsyncIterable<Row>
    return
  }
  let rest = ''
  for await (const text of bytes.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Row
  }
  check(rest === '', `${name} does not end with a line feed`)
}

const hashOf = async (zip: Zip, name: string): Promise<{ bytes: number; sha256: string }> => {
  const digest = createHash('sha256')
  let bytes = 0
  for await (const chunk of (await zip.stream(name)) as AsyncIterable<Buffer>) {
    digest.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: digest.digest('hex') }
}

/** What the leaves of the log say: the ids that exist, and their hashes in order. */
const readLeaves = async (zip: Zip) => {
  const living = { users: new Set<string>(), groups: new Set<string>(), applications: new Set<string>() }
  const streams = [
    ['users', 'user-', 'user.deleted'],
    ['groups', 'group-', 'group.deleted'],
    ['applications', 'application-', 'application.deleted'],
  ] as const
  const ended = new Set<string>()
  const hashes: string[] = []
  for await (const line of rowsOf(zip, 'log.jsonl')) {
    const { hash, leaf } = line as { hash?: string; leaf?: { stream: string; type: string } }
    if (hash === undefined) continue
    hashes.push(hash)
    for (const [kind, prefix, end] of streams)
      if (leaf?.stream.startsWith(prefix) === true) {
        const id = leaf.stream.slice(prefix.length)
        if (leaf.type === end) living[kind].delete(id)
        else if (!ended.has(id)) living[kind].add(id)
        if (leaf.type === end) ended.add(id)
      }
  }
  return { living, hashes }
}

export interface ExportVerification {
  readonly manifest: Manifest
  /** Rows by file */
  readonly rows: Readonly<Record<string, number>>
  /** Whether the contents were compared with the log */
  readonly withLog: boolean
}

/**
 * @param key the line of `/api/v1/audit/key.pub`
 * @throws Error that describes the problem
 */
export const verifyExportFile = async (path: string, key: string): Promise<ExportVerification> => {
  const zip = await openZip(path)
  try {
    const bytes = await zip.whole('manifest.json')
    const note = openNote(key, (await zip.whole('manifest.note')).toString())
    const manifest = JSON.parse(bytes.toString()) as Manifest
    const { files, origin, size, rootHash, checkpoint } = manifest
    check(manifest.format === 'svc-export/1', 'another format')
    check(
      note.origin === `${origin}/export` &&
        note.size === bytes.length &&
        note.hash === createHash('sha256').update(bytes).digest('base64'),
      'the note is of another manifest',
    )
    const names = [...files.map(({ name }) => name), 'manifest.json', 'manifest.note']
    check(zip.names.toSorted().join() === names.toSorted().join(), 'the archive has other files')
    const head = openNote(key, checkpoint)
    check(head.origin === origin && head.size >= size, 'the checkpoint is of another log or too early')

    const kinds = new Set(files.map(({ kind }) => kind))
    const log = kinds.has('log') ? await readLeaves(zip) : null
    if (log !== null) {
      const { from, to, note: own } = verifyBundleFile(await zip.whole('log.jsonl'), key)
      check(from === 0 && to === size && own === checkpoint, 'the log is not that of the manifest')
      check(rootHash === null || merkleRoot(log.hashes) === rootHash, 'the log has another root')
    }

    const rows: Record<string, number> = {}
    for (const file of files) {
      const { name, kind } = file
      const found = await hashOf(zip, name)
      check(found.bytes === file.bytes && found.sha256 === file.sha256, `${name} was changed`)
      let count = 0
      const ids = new Set<string>()
      let leaf = -1
      for await (const row of rowsOf(zip, name)) {
        if (kind === 'log' && row['hash'] === undefined) continue
        count++
        check(file.fields === null || Object.keys(row).join() === file.fields.join(), `${name}: other fields`)
        if (kind === 'audit' && log !== null) {
          leaf = log.hashes.indexOf(row['hash'] as string, leaf + 1)
          check(leaf >= 0, `${name}: row ${String(count)} is not in the log`)
        }
        ids.add(String(row['id']))
      }
      check(count === file.rows, `${name} has ${String(count)} rows, not ${String(file.rows)}`)
      if (log !== null && (kind === 'users' || kind === 'groups' || kind === 'applications')) {
        const expected = log.living[kind]
        const missing = [...expected].filter((id) => !ids.has(id))
        const unknown = [...ids].filter((id) => !expected.has(id))
        check(
          missing.length === 0 && unknown.length === 0,
          `${name}: missing ${missing.join()}, not in the log ${unknown.join()}`,
        )
      }
      rows[name] = count
    }
    return { manifest, rows, withLog: log !== null }
  } finally {
    zip.close()
  }
}

/** Returns one file of an archive. */
export const fileOf = async (path: string, name: string): Promise<Buffer> => {
  const zip = await openZip(path)
  try {
    return await zip.whole(name)
  } finally {
    zip.close()
  }
}
