/** Generates values that a schema of the API document allows, as a client that has only the document would. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc, { type Arbitrary } from 'fast-check'
import type { Schema } from '../../../adapters/inbound/http/expectation.ts'
import { idPrefixes } from '../../../domain/ids.ts'

interface Referring extends Schema {
  readonly $ref?: string
  readonly maxProperties?: number
}

/** Ids of this kind that exist. */
export type Known = (prefix: string) => readonly string[]

const SOME = 40

/** Removes lookahead groups from a pattern; they are checked afterwards. */
const plainPattern = (pattern: string): RegExp =>
  new RegExp(pattern.replaceAll(/\(\?!(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g, ''), 'u')

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
const compiled = new Map<string, ValidateFunction>()
const isValid = (schema: Schema, value: unknown): boolean => {
  const key = JSON.stringify(schema)
  const check = compiled.get(key) ?? ajv.compile(schema)
  compiled.set(key, check)
  return check(value)
}

const matching = new Map<string, Arbitrary<string>>()
/** Parsing a pattern takes longer than a request. */
const textLike = (pattern: string): Arbitrary<string> => {
  const found = matching.get(pattern) ?? fc.stringMatching(plainPattern(pattern), { size: 'small' })
  matching.set(pattern, found)
  return found
}

const time = fc
  .tuple(
    fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
    fc.constantFrom('Z', '+00:00', '-08:30'),
  )
  .map(([date, zone]) => date.toISOString().replace(/\.000Z$|Z$/, zone))

const ULID = fc.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)

const textOf = (schema: Schema, known: Known): Arbitrary<string> => {
  const { pattern, format, minLength = 0, maxLength = SOME, examples = [] } = schema
  const prefix = Object.values(idPrefixes).find((each) => pattern?.startsWith(`^${each}`))
  if (prefix !== undefined) {
    const existing = known(prefix)
    const unknown = ULID.map((ulid) => prefix + ulid)
    return existing.length === 0
      ? unknown
      : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...existing) }, unknown)
  }
  if (format === 'date-time') return time.filter((text) => isValid(schema, text))
  if (format === 'date') return time.map((text) => text.slice(0, 10))
  const given = examples.filter((example) => typeof example === 'string')
  const free =
    pattern === undefined
      ? fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, minLength + SOME) })
      : textLike(pattern)
  const valid = free.filter((text) => isValid(schema, text))
  return given.length === 0 ? valid : fc.oneof(valid, fc.constantFrom(...given))
}

/**
 * @param components the document's named schemas
 * @param known ids that may be referred to
 */
export const valuesFrom = (components: Readonly<Record<string, Schema>>, known: Known) => {
  const valueOf = (given: Referring): Arbitrary<unknown> => {
    const name = given.$ref?.split('/').at(-1)
    const schema: Referring = name === undefined ? given : (components[name] ?? {})
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    const branches = schema.anyOf ?? schema.oneOf
    if (branches !== undefined) return fc.oneof(...branches.map(valueOf))
    switch (schema.type) {
      case 'object':
        return objectOf(schema)
      case 'array': {
        const { items = {}, minItems = 0, maxItems = 5, uniqueItems = false } = schema
        const lengths = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) }
        return uniqueItems
          ? fc.uniqueArray(valueOf(items), { ...lengths, selector: (item) => JSON.stringify(item) })
          : fc.array(valueOf(items), lengths)
      }
      case 'integer':
        return fc.integer({
          min: Math.max(schema.minimum ?? 0, -(2 ** 31)),
          max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1),
        })
      case 'boolean':
        return fc.boolean().filter((value) => isValid(schema, value))
      case 'null':
        return fc.constant(null)
      case 'string':
        return textOf(schema, known)
      default:
        return fc.jsonValue({ maxDepth: 2 })
    }
  }
  const objectOf = (schema: Referring): Arbitrary<unknown> => {
    const { properties = {}, patternProperties = {}, required = [] } = schema
    const fixed = fc.record(
      Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, valueOf(inner)])),
      { requiredKeys: [...required] },
    )
    const [free] = Object.entries(patternProperties)
    if (free === undefined) return fixed
    const [pattern, inner] = free
    return fc.dictionary(textLike(pattern), valueOf(inner), { maxKeys: 3 })
  }
  return valueOf
}
