/** Validates requests against their schemas: finds the invalid field and what was expected. */
import { own } from '../../../domain/own.ts'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { isStorable } from '../../../domain/text.ts'
import { expectation, type Schema } from './expectation.ts'

/** What is wrong, and where: `field` is a JSON pointer. */
export interface Problem {
  readonly field: string
  readonly message: string
}

export type Check = (value: unknown) => Problem | undefined

export interface Validators {
  /** Keeps types as they are. */
  strictly(schema: TSchema): Check
  /** Converts text to the required type, in place, and sets defaults: for query and path. */
  coercing(schema: TSchema): Check
}

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
 * JSON pointer of the first unknown field. For alternatives, one that knows every field is sufficient.
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
    const found = branches.map((branch) => unknownField(branch, value, closed, pointer))
    return found.includes(undefined) ? undefined : found.find((at) => at !== undefined)
  }
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return undefined
    for (const [at, item] of value.entries()) {
      const found = unknownField(items, item, closed, `${pointer}/${at}`)
      if (found !== undefined) return found
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
    const found = unknownField(deeper, inner, closed, at)
    if (found !== undefined) return found
  }
  return undefined
}

const unstorable = (value: unknown, pointer = ''): string | undefined => {
  if (typeof value === 'string') return isStorable(value) ? undefined : pointer
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const found = !isStorable(key) ? pointer : unstorable(inner, `${pointer}/${escaped(key)}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** The constant fields of an object, which distinguish alternatives. */
const constants = (branch: Schema): readonly (readonly [string, unknown])[] =>
  Object.entries(branch.properties ?? {}).flatMap(([key, { const: value }]) =>
    value === undefined ? [] : [[key, value] as const],
  )

const scalar = new Set(['type', 'const', 'enum', 'anyOf', 'oneOf'])

/** Of the errors of alternatives, the one of the alternative that was meant. */
const meant = (errors: readonly ErrorObject[], union: ErrorObject): ErrorObject | Problem => {
  const branches = union.schema as readonly Schema[]
  const inside = errors.filter(
    (error) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`),
  )
  if (isObject(union.data)) {
    const { data } = union
    const fitting = branches.flatMap((branch, at) =>
      branch.type === 'object' && constants(branch).every(([key, value]) => own(data, key) === value)
        ? [at]
        : [],
    )
    const within = inside.filter(({ schemaPath }) =>
      schemaPath.startsWith(`${union.schemaPath}/${fitting[0]}/`),
    )
    const [first] = within
    if (fitting.length === 1 && first !== undefined) {
      const last = within.at(-1) ?? first
      return last.keyword === 'anyOf' || last.keyword === 'oneOf' ? meant(within, last) : last
    }
    const [key] = branches.flatMap(constants)[0] ?? []
    if (fitting.length === 0 && key !== undefined) {
      const choices = branches.flatMap((branch) =>
        constants(branch).flatMap(([name, value]) => (name === key ? [value] : [])),
      )
      const field = `${union.instancePath}/${escaped(key)}`
      return { field, message: `${fieldName(field)}: expected ${expectation({ enum: choices })}` }
    }
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

/** Compiles the very schemas that the OpenAPI document prints. */
export const validators = (): Validators => {
  const common = { strict: true, strictRequired: false, allowUnionTypes: true, verbose: true } as const
  const plain = new Ajv2020(common)
  const coerce = new Ajv2020({ ...common, coerceTypes: 'array', useDefaults: true })
  for (const ajv of [plain, coerce]) addFormats.default(ajv)
  return {
    strictly: (schema) => checkBy(plain.compile(schema)),
    coercing: (schema) => checkBy(coerce.compile(schema)),
  }
}
