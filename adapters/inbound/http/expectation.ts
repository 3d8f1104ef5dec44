/** Describes what a schema expects, for the second half of every ERR_INVALID message. */
import { own } from '../../../domain/own.ts'
import { idPrefixes } from '../../../domain/ids.ts'

/** The part of JSON Schema 2020-12 that the API's schemas use. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly not?: Schema
}

/** Titles that name a component of the OpenAPI document instead of describing a value */
export const COMPONENT_NAME = /^[A-Z][A-Za-z0-9]*$/

const formats: Record<string, string | undefined> = {
  email: 'an email address, for example ada@example.com',
  uri: 'an absolute address, for example https://example.com/path',
  'uri-reference': 'an address, for example /path or https://example.com/path',
  url: 'an absolute address, for example https://example.com/path',
  hostname: 'a host name, for example login.example.com',
  ipv4: 'an IPv4 address, for example 203.0.113.7',
  ipv6: 'an IPv6 address, for example 2001:db8::1',
  uuid: 'a UUID, for example 0b7e9c1e-4f55-4c39-9a3e-3f0c1a2b4d5e',
  date: 'a date, for example 2026-01-31',
  time: 'a time with offset, for example 09:30:00Z',
  'date-time': 'a date and time with offset (RFC 3339), for example 2026-01-31T09:30:00Z',
  duration: 'an ISO 8601 duration, for example P30D',
  regex: 'a regular expression',
  'json-pointer': 'a JSON pointer, for example /name',
  byte: 'base64 text',
}

/** `apiKey` → `an API key`. */
const withArticle = (kind: string): string => {
  const words = kind
    .replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)
    .replace(/^(api|ssh|saml)\b/, (name) => name.toUpperCase())
  return `${/^(?:[aeio]|SSH)/i.test(words) ? 'an' : 'a'} ${words}`
}

const SAMPLE_ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

const byPattern = (pattern: string): string | undefined => {
  const known = Object.entries(idPrefixes).find(([, prefix]) => pattern.startsWith(`^${prefix}`))
  return known === undefined
    ? undefined
    : `the id of ${withArticle(known[0])}, for example ${known[1]}${SAMPLE_ULID}`
}

const range = (min: number | undefined, max: number | undefined, unit: string): string => {
  const units = unit === '' ? '' : ` ${unit}${(max ?? min) === 1 ? '' : 's'}`
  if (min !== undefined && max !== undefined)
    return min === max ? ` of exactly ${min}${units}` : ` of ${min} to ${max}${units}`
  if (min !== undefined) return ` of at least ${min}${units}`
  return max === undefined ? '' : ` of at most ${max}${units}`
}

const number = (schema: Schema): string => {
  const kind = schema.type === 'integer' ? 'a whole number' : 'a number'
  const bounds = [
    schema.minimum === undefined ? [] : `at least ${schema.minimum}`,
    schema.exclusiveMinimum === undefined ? [] : `more than ${schema.exclusiveMinimum}`,
    schema.maximum === undefined ? [] : `at most ${schema.maximum}`,
    schema.exclusiveMaximum === undefined ? [] : `less than ${schema.exclusiveMaximum}`,
    schema.multipleOf === undefined ? [] : `a multiple of ${schema.multipleOf}`,
  ].flat()
  if (schema.minimum !== undefined && schema.maximum !== undefined && bounds.length === 2)
    return `${kind} from ${schema.minimum} to ${schema.maximum}`
  return [kind, bounds.join(' and ')].filter((part) => part !== '').join(', ')
}

const text = (schema: Schema): string => {
  const known =
    (schema.title === undefined ? own(formats, schema.format ?? '') : undefined) ??
    (schema.pattern === undefined ? undefined : byPattern(schema.pattern))
  if (known !== undefined) return known
  const length = range(schema.minLength, schema.maxLength, 'character')
  if (schema.pattern === undefined || schema.title !== undefined || schema.examples !== undefined)
    return `text${length}`
  return `text${length} that matches ${schema.pattern}`
}

const list = (choices: readonly string[]): string =>
  choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1) ?? ''}`

const literal = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const shape = (schema: Schema): string => {
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return `one of ${list(schema.enum.map(literal))}`
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) {
    const constants = branches.flatMap(({ const: value }) => (value === undefined ? [] : [literal(value)]))
    if (constants.length === branches.length) return `one of ${list(constants)}`
    return list([...new Set(branches.map(shape))])
  }
  if (Array.isArray(schema.type)) return list(schema.type.map((type: string) => shape({ type })))
  switch (schema.type) {
    case 'string':
      return text(schema)
    case 'integer':
    case 'number':
      return number(schema)
    case 'boolean':
      return schema.not === undefined ? 'true or false' : literal(schema.not.const !== true)
    case 'null':
      return 'null'
    case 'array':
      return `a list${range(schema.minItems, schema.maxItems, 'item')}${schema.uniqueItems === true ? ', each once' : ''}`
    case 'object':
      return `an object${schema.minProperties === undefined ? '' : ` with ${range(schema.minProperties, undefined, 'field').slice(4)}`}`
    default:
      return 'another value'
  }
}

/**
 * Returns the noun phrase after “expected”: the title if there is one, otherwise the form and an example, otherwise
 * the description.
 */
export const expectation = (schema: Schema): string => {
  const form = shape(schema)
  const titled =
    schema.title === undefined || COMPONENT_NAME.test(schema.title) ? form : `${schema.title}: ${form}`
  const [example] = schema.examples ?? []
  const shown =
    example === undefined || form.includes('for example')
      ? titled
      : `${titled}, for example ${literal(example)}`
  return schema.description === undefined ? shown : `${shown} (${schema.description})`
}
