/** Validates requests against their schemas: finds the invalid field and what was expected. */
import { own } from '../../../domain/own.ts'
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { isStorable } from '../../../domain/text.ts'
import { expectation, type Schema } from './expectation.ts'

/** The cause and location of an error: `field` is a JSON pointer. */
export interface Problem {
  readonly field: string
  readonly message: string
}

export type Check = (value: unknown) => Problem | undefined

/** `/roles/0` → `roles[0]`; the empty pointer → `otherwise`. */
export const fieldName = (pointer: string, otherwise = 'body'): string => {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (parts.length === 0) return otherwise
  return parts.map((part, at) => (/^\d+$/.test(part) ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns the JSON pointer of the first unknown field. For alternatives, one that knows every field is sufficient.
 * @param closed whether an object without additionalProperties allows none
 */
export const unknownField = (
  schema: Schema,
  value: unknown,
  closed = false,
  pointer = '',
): string | undefined => {
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) {
    // In input each field is checked separately; their combination is checked with the values.
    const parts = isObject(value) && !closed ? Object.entries(value).map((entry) => [entry]) : null
    for (const part of parts?.map((entries) => Object.fromEntries(entries)) ?? [value]) {
      const unknownFields = branches.map((branch) => unknownField(branch, part, closed, pointer))
      if (!unknownFields.includes(undefined)) return unknownFields[0]
    }
    return undefined
  }
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return undefined
    for (const [at, item] of value.entries()) {
      const unknown = unknownField(items, item, closed, `${pointer}/${at}`)
      if (unknown !== undefined) return unknown
    }
    return undefined
  }
  if (!isObject(value) || schema.type !== 'object') return undefined
  const { properties = {}, patternProperties, additionalProperties = !closed } = schema
  for (const [key, inner] of Object.entries(value)) {
    const at = `${pointer}/${escaped(key)}`
    const known =
      own(properties, key) ??
      Object.entries(patternProperties ?? {}).find(([pattern]) => new RegExp(pattern, 'u').test(key))?.[1]
    const deeper = known ?? (isObject(additionalProperties) ? additionalProperties : undefined)
    if (deeper === undefined) {
      if (additionalProperties === false) return at
      continue
    }
    const unknown = unknownField(deeper, inner, closed, at)
    if (unknown !== undefined) return unknown
  }
  return undefined
}

const unstorable = (value: unknown, pointer = ''): string | undefined => {
  if (typeof value === 'string') return isStorable(value) ? undefined : pointer
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const at = !isStorable(key) ? pointer : unstorable(inner, `${pointer}/${escaped(key)}`)
    if (at !== undefined) return at
  }
  return undefined
}

/** Returns the only allowed values of a field, if an alternative lists them. */
const choicesOf = ({ properties = {} }: Schema, key: string): readonly unknown[] | undefined => {
  const field = own(properties, key)
  return field?.const === undefined ? field?.enum : [field.const]
}

/** Returns a field whose values distinguish the alternatives. */
const distinction = (branches: readonly Schema[]): string | undefined =>
  Object.keys(branches[0]?.properties ?? {}).find((key) => {
    const choices = branches.map((branch) => choicesOf(branch, key))
    return !choices.includes(undefined) && new Set(choices.map((each) => JSON.stringify(each))).size > 1
  })

const knownFields = ({ properties = {} }: Schema, data: unknown): number =>
  Object.entries(isObject(data) ? data : {}).reduce((sum, [key, value]) => {
    const field = own(properties, key)
    return field === undefined ? sum : sum + 1 + knownFields(field, value)
  }, 0)

/**
 * Returns the intended one of several alternative objects: by distinguishing fields, or otherwise the one with most of
 * the sent fields.
 */
const intended = (
  branches: readonly Schema[],
  data: Record<string, unknown>,
): Schema | Problem | undefined => {
  const key = distinction(branches)
  if (key === undefined)
    return [...branches].sort((one, other) => knownFields(other, data) - knownFields(one, data))[0]
  const sent = own(data, key)
  const fitting = branches.filter((branch) =>
    sent === undefined ? branch.required?.includes(key) !== true : choicesOf(branch, key)?.includes(sent),
  )
  if (fitting.length > 0) return fitting.length < branches.length ? intended(fitting, data) : fitting[0]
  const choices = [...new Set(branches.flatMap((branch) => choicesOf(branch, key) ?? []))]
  const field = `/${escaped(key)}`
  return { field, message: `expected ${expectation({ enum: choices })}` }
}

const scalar = new Set(['type', 'const', 'enum', 'anyOf', 'oneOf'])

/** Returns the error of the intended alternative. */
const meant = (errors: readonly ErrorObject[], union: ErrorObject): ErrorObject | Problem => {
  const branches = union.schema as readonly Schema[]
  const inside = errors.filter(
    (error) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`),
  )
  if (isObject(union.data)) {
    const choice = intended(
      branches.filter(({ type }) => type === 'object'),
      union.data,
    )
    if (choice !== undefined && 'message' in choice) {
      const field = union.instancePath + choice.field
      return { field, message: `${fieldName(field)}: ${choice.message}` }
    }
    const at = branches.findIndex((branch) => branch === choice)
    const within = inside.filter(({ schemaPath }) =>
      schemaPath.startsWith(`${union.schemaPath}/${String(at)}/`),
    )
    const last = within.at(-1)
    if (last !== undefined)
      return last.keyword === 'anyOf' || last.keyword === 'oneOf' ? meant(within, last) : last
  }
  const telling = inside.filter(
    ({ keyword, instancePath }) => instancePath !== union.instancePath || !scalar.has(keyword),
  )
  return telling.length === 1 ? (telling[0] ?? union) : union
}

const describe = (errors: readonly ErrorObject[]): Problem => {
  const last = errors.at(-1)
  if (last === undefined) return { field: '', message: 'body: expected another value' }
  const error = last.keyword === 'anyOf' || last.keyword === 'oneOf' ? meant(errors, last) : last
  if ('field' in error) return error
  const schema = (error.parentSchema ?? {}) as Schema
  const params = error.params as { missingProperty?: string; additionalProperty?: string }
  if (params.missingProperty !== undefined) {
    const field = `${error.instancePath}/${escaped(params.missingProperty)}`
    const wanted = expectation(own(schema.properties ?? {}, params.missingProperty) ?? {})
    return { field, message: `${fieldName(field)}: is missing; expected ${wanted}` }
  }
  if (params.additionalProperty !== undefined) {
    const field = `${error.instancePath}/${escaped(params.additionalProperty)}`
    return { field, message: `${fieldName(field)}: is not a known field` }
  }
  return {
    field: error.instancePath,
    message: `${fieldName(error.instancePath)}: expected ${expectation(schema)}`,
  }
}

const checkBy =
  (validate: ValidateFunction): Check =>
  (value) => {
    if (!validate(value)) return describe(validate.errors ?? [])
    const bad = unstorable(value)
    return bad === undefined
      ? undefined
      : {
          field: bad,
          message: `${fieldName(bad)}: expected text without NUL characters or broken surrogate pairs`,
        }
  }

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

const compiler = (options: Options): Ajv2020 => {
  const ajv = new Ajv2020({
    ...{ strict: true, strictRequired: false, allowUnionTypes: true, verbose: true },
    ...options,
  })
  addFormats.default(ajv)
  return ajv
}

// One of each for the process: the first schema of a compiler costs as much as dozens of further ones.
const keeping = once(() => compiler({}))
const converting = once(() => compiler({ coerceTypes: 'array', useDefaults: true }))

const compiledAtFirstUse = (ajv: () => Ajv2020, schema: TSchema): Check => {
  const check = once(() => checkBy(ajv().compile(schema)))
  return (value) => check()(value)
}

/** A check by a schema of the OpenAPI document that keeps types as they are. It is compiled at its first use. */
export const strictly = (schema: TSchema): Check => compiledAtFirstUse(keeping, schema)

/** As `strictly`, but converts text to the required type in place and sets defaults, for queries and paths. */
export const coercing = (schema: TSchema): Check => compiledAtFirstUse(converting, schema)
