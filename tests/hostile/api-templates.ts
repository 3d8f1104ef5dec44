/** Requests to every route of the JSON API, built from the published API document. */
import type { Schema } from '../../adapters/inbound/http/expectation.ts'
import { idPrefixes } from '../../domain/ids.ts'
import type { Dice, Pairs, Template } from './requests.ts'
import type { World } from './world.ts'

interface Referring extends Schema {
  readonly $ref?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema?: Schema
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: Schema }>>
  }
  readonly 'x-credentials'?: readonly string[]
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

const UNKNOWN_ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** Creates values that match schemas. */
const samples = ({ components }: ApiDocument, { ids }: World, dice: Dice) => {
  let made = 0
  const resolved = (schema: Referring): Schema => {
    const name = schema.$ref?.split('/').at(-1)
    const referenced = name === undefined ? undefined : components?.schemas?.[name]
    return referenced === undefined ? schema : resolved(referenced)
  }
  const text = ({ pattern = '', format, minLength = 0, maxLength = 40, examples }: Schema): string => {
    const kind = Object.values(idPrefixes).find((prefix) => pattern.startsWith(`^${prefix}`))
    if (kind !== undefined) return ids.get(kind) ?? `${kind}${UNKNOWN_ULID}`
    const n = String(++made)
    if (typeof examples?.[0] === 'string') return examples[0]
    switch (format) {
      case 'email':
        return `sample${n}@example.com`
      case 'uri':
        return `https://app${n}.example.com/callback`
      case 'date-time':
        return '2026-11-01T00:00:00Z'
      default:
        return `sample ${n}`.padEnd(minLength, 'x').slice(0, maxLength)
    }
  }
  const valueOf = (referring: Referring, name = ''): unknown => {
    const schema = resolved(referring)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return dice.pick(schema.enum)
    const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf
    if (branches !== undefined) return valueOf(dice.pick(branches), name)
    const type = Array.isArray(schema.type) ? (schema.type as readonly string[])[0] : schema.type
    switch (type) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, valueOf(inner, key)]),
        )
      case 'array':
        return Array.from({ length: Math.max(1, schema.minItems ?? 0) }, () =>
          valueOf(schema.items ?? {}, name),
        )
      case 'integer':
      case 'number':
        return schema.minimum ?? 1
      case 'boolean':
        return true
      case 'null':
        return null
      default:
        return text(schema)
    }
  }
  return valueOf
}

/** Returns a value for a path parameter, by its name if the schema has no format. */
const segmentOf = (
  segment: string,
  parameters: readonly Parameter[],
  valueOf: (schema: Schema) => unknown,
): string => {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1]
  if (name === undefined) return segment
  return String(
    valueOf(
      parameters.find((each) => each.in === 'path' && each.name === name)?.schema ?? { type: 'string' },
    ),
  )
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** @returns for each route one request by each caller who may call it, and one anonymous request */
export const apiTemplates = (document: ApiDocument, world: World, dice: Dice): readonly Template[] => {
  const valueOf = samples(document, world, dice)
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method): readonly Template[] => {
      const operation = operations[method]
      if (operation === undefined) return []
      const { parameters = [], requestBody, 'x-credentials': credentials = [] } = operation
      const query: Pairs = parameters
        .filter((each) => each.in === 'query' && each.schema !== undefined && each.name !== 'cursor')
        .map(({ name, schema = {} }) => [name, String(valueOf(schema, name))])
      const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
      const template: Omit<Template, 'as' | 'headers'> = {
        method: method.toUpperCase(),
        segments: `api/v1${path}`.split('/').map((segment) => segmentOf(segment, parameters, valueOf)),
        query,
        ...(content === undefined || type === undefined
          ? {}
          : type === 'application/json'
            ? { body: { kind: 'json' as const, value: valueOf(content.schema ?? {}) } }
            : { body: { kind: 'bytes' as const, type, bytes: Buffer.from('\x89PNG\r\n') } }),
      }
      const callers = ['none', ...credentials.filter((each) => each !== 'none')]
      return callers.map((as) => ({ ...template, as, headers: world.credentials(as, template.method, path) }))
    }),
  )
}
