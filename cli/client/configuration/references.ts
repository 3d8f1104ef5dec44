/**
 * Ids within the values of the API, as files have them: names of records, and email addresses of users. One table says
 * which fields have ids; it also makes the schemas of files from those of the API.
 */
import { EmailAddress, line } from '../../../adapters/inbound/http/schemas.ts'
import { idPattern, isId } from '../../../domain/ids.ts'
import { list, sorted, type Field, type Item, type Names, type ReferenceKind } from './kind.ts'

interface Reference {
  /** Its name in files */
  readonly file: string
  /** Undefined: the field `type` beside it says whether it names users or groups */
  readonly kind: ReferenceKind | undefined
}

const references: Readonly<Record<string, Reference>> = {
  groupId: { file: 'group', kind: 'groups' },
  groupIds: { file: 'groups', kind: 'groups' },
  packageId: { file: 'package', kind: 'access-packages' },
  userIds: { file: 'users', kind: 'users' },
  escalateTo: { file: 'escalateTo', kind: 'users' },
  ids: { file: 'names', kind: undefined },
  fallbackIds: { file: 'fallbacks', kind: 'users' },
}

const byFile = new Map(
  Object.entries(references).map(([api, reference]) => [reference.file, { ...reference, api }]),
)

const kindBeside = ({ type }: Item): ReferenceKind => (type === 'groups' ? 'groups' : 'users')

const isObject = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Convert = (kind: ReferenceKind, text: string) => string

/** Renames the fields with references, and converts what they refer to. */
const converted = (value: unknown, direction: 'toFile' | 'toApi', convert: Convert): unknown => {
  if (Array.isArray(value)) return value.map((one) => converted(one, direction, convert))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const known = direction === 'toFile' ? { ...references[name], api: name } : byFile.get(name)
      if (known?.file === undefined || part === null) return [name, converted(part, direction, convert)]
      const { file, api, kind = kindBeside(value) } = known
      const one = (text: unknown): string => convert(kind, String(text))
      return [direction === 'toApi' ? api : file, Array.isArray(part) ? part.map(one) : one(part)]
    }),
  )
}

/** Addresses of users are the same in upper and lower case. */
const written: Convert = (kind, text) => (kind === 'users' && !isId('user', text) ? text.toLowerCase() : text)

/** A list of users. */
export const userList: Field = {
  toFile: (value, { nameOf }) => sorted(list(value).map((id) => nameOf('users', id))),
  toBody: (value, { idOf }) => list(value).map((name) => idOf('users', written('users', name))),
  normal: (value) => sorted(list(value).map((name) => written('users', name))),
}

/**
 * A field whose value has references at any depth. It is replaced as a whole.
 * @param complete adds the defaults of the service to a value of the API
 */
export const withReferences = (complete: (value: unknown) => unknown = (value) => value): Field => ({
  whole: true,
  toFile: (value, { nameOf }) => converted(value, 'toFile', nameOf),
  toBody: (value, { idOf }) => converted(value, 'toApi', (kind, text) => idOf(kind, written(kind, text))),
  normal: (value) => converted(complete(converted(value, 'toApi', written)), 'toFile', (_, text) => text),
})

/** The schema of a value in files, from that of the API. */
export const fileSchema = <T>(schema: T): T => {
  const inFile = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(inFile)
    if (!isObject(part)) return part
    const { properties, required } = part
    const rest = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, inFile(value)]))
    if (!isObject(properties)) return rest
    const nameOf = (name: string): string => references[name]?.file ?? name
    return {
      ...rest,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          nameOf(name),
          references[name] === undefined
            ? inFile(property)
            : referenceSchema(references[name], property as Item),
        ]),
      ),
      ...(Array.isArray(required) ? { required: required.map((name) => nameOf(String(name))) } : {}),
    }
  }
  return inFile(schema) as T
}

const groupName = line(100, 'Operators')
/** A user who was deleted has no address any more. */
export const userName = {
  anyOf: [EmailAddress, { type: 'string', pattern: idPattern('user') }],
  title: 'an email address',
}

const referenceSchema = ({ kind }: Reference, { type, items: _, pattern: __, ...rest }: Item): Item => {
  const one =
    kind === undefined
      ? { type: 'string', maxLength: 254, minLength: 1 }
      : kind === 'users'
        ? userName
        : groupName
  return type === 'array' ? { ...rest, type, items: one } : { ...rest, ...one }
}

/** What files and records refer to: users are looked up one by one, because there may be very many. */
export const collector = (): { readonly names: Names; readonly users: ReadonlySet<string> } => {
  const users = new Set<string>()
  const note: Convert = (kind, text) => {
    if (kind === 'users') users.add(text)
    return text
  }
  return { names: { nameOf: note, idOf: note }, users }
}
