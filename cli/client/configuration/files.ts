/** Configuration as YAML files, one for each kind. */
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Document, parse, YAMLParseError } from 'yaml'
import { strictly } from '../../../adapters/inbound/http/validate.ts'
import { CliError, exitCodes } from '../../server/exit-codes.ts'
import { replaceFile } from '../replace-file.ts'
import type { Desired, Item, Kind, KindName } from './kind.ts'
import { kinds } from './kinds.ts'
import type { Snapshot } from './snapshot.ts'

const EXTENSION = '.yaml'

const fileOf = ({ name }: Kind): string => `${name}${EXTENSION}`

const HINT = 'What an item omits stays as it is. "svc plan" shows what would change.'

const SCHEMAS = 'schemas'

/** Returns the text of the file of a kind; editors with a YAML language server check it against its schema. */
const fileText = (kind: Kind, items: readonly Item[]): string => {
  const document = new Document(kind.key === null ? items[0] : items)
  const schema = ` yaml-language-server: $schema=${SCHEMAS}/${kind.name}.json`
  document.commentBefore = [schema, ` ${kind.about}`, ` ${HINT}`].join('\n')
  // Without `[]`, an item can be added at the end.
  const isEmpty = kind.key !== null && items.length === 0
  if (isEmpty) document.contents = null
  return document.toString({ lineWidth: 110, nullStr: isEmpty ? '' : 'null' })
}

/** The JSON Schema of the file of a kind. */
const schemaOf = ({ schema, key, about }: Kind): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  description: about,
  ...(key === null ? schema : { type: 'array', items: schema }),
})

/** Writes the whole configuration into a folder, which is created if it is missing, and the schemas of its files. */
export const writeFiles = async (folder: string, snapshot: Snapshot): Promise<readonly string[]> => {
  await mkdir(join(folder, SCHEMAS), { recursive: true })
  for (const kind of kinds)
    await replaceFile(
      join(folder, SCHEMAS, `${kind.name}.json`),
      `${JSON.stringify(schemaOf(kind), null, 2)}\n`,
    )
  const written: string[] = []
  for (const kind of kinds) {
    const items = [...(snapshot.get(kind.name) ?? [])]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { item }]) => item)
    const path = join(folder, fileOf(kind))
    await replaceFile(path, fileText(kind, items))
    written.push(path)
  }
  return written
}

const problem = (path: string, message: string): CliError =>
  new CliError(exitCodes.usage, `${path}: ${message}`)

const parsed = (path: string, text: string): unknown => {
  try {
    return parse(text) as unknown
  } catch (error) {
    if (error instanceof YAMLParseError) throw problem(path, error.message)
    throw error
  }
}

const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const itemsIn = (kind: Kind, path: string, text: string): readonly Item[] => {
  const value = parsed(path, text) ?? (kind.key === null ? {} : [])
  const items: readonly unknown[] = kind.key === null ? [value] : Array.isArray(value) ? value : []
  if (kind.key !== null && !Array.isArray(value)) throw problem(path, 'expected a list')
  const check = strictly(kind.schema)
  return items.map((item, at) => {
    if (!isItem(item)) throw problem(path, `item ${String(at + 1)}: expected fields with values`)
    const wrong = check(item)
    if (wrong !== undefined) {
      const name = kind.key === null ? '' : ` (${String(item[kind.key])})`
      throw problem(path, `item ${String(at + 1)}${name}: ${wrong.message}`)
    }
    return item
  })
}

/**
 * Reads the files of a folder.
 * @throws CliError naming the file, the item and the field that is wrong
 */
export const readFiles = async (folder: string): Promise<Desired> => {
  const names = await readdir(folder).catch(() => {
    throw new CliError(exitCodes.usage, `${folder}: expected a folder with files such as groups${EXTENSION}`)
  })
  const desired = new Map<KindName, readonly Item[]>()
  for (const name of names.filter((each) => /\.ya?ml$/.test(each)).sort()) {
    const kind = kinds.find((each) => fileOf(each) === name)
    if (kind === undefined)
      throw problem(join(folder, name), `expected one of ${kinds.map(fileOf).join(', ')}`)
    const path = join(folder, name)
    desired.set(kind.name, itemsIn(kind, path, await readFile(path, 'utf8')))
  }
  if (desired.size === 0)
    throw new CliError(exitCodes.usage, `${folder}: there are no files such as groups${EXTENSION}`)
  return desired
}
