/**
 * Normalizes client input: attribute names as in the schema, booleans as true and false, lists as lists, unassigned
 * values omitted (RFC 7643 §2.5). Unsupported attributes are dropped.
 */
import { badRequest } from './errors.ts'
import { attributeOf, coreAttributes, type Attribute, type ResourceType } from './schemas.ts'

export type Complex = Readonly<Record<string, string | boolean | undefined>>
export type Value = string | boolean | Complex | readonly Complex[]
/** Attributes of one schema by their names. */
export type Attributes = Readonly<Record<string, Value | undefined>>

/** A resource without server-managed data: attributes of the core schema and of the extension. */
export interface Resource {
  readonly core: Attributes
  readonly extension: Attributes
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const wrong = (where: string, expected: string) =>
  badRequest('invalidValue', `${where}: expected ${expected}`)

const readText = (value: unknown, where: string): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw wrong(where, 'text')
  const text = String(value).trim()
  return text === '' ? undefined : text
}

const readTruth = (value: unknown, where: string): boolean => {
  if (typeof value === 'boolean') return value
  // Entra ID sends booleans as text.
  if (typeof value === 'string' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  throw wrong(where, 'true or false')
}

const readSimple = (attribute: Attribute, value: unknown, where: string): string | boolean | undefined => {
  if (value === null || value === undefined) return undefined
  return attribute.type === 'boolean' ? readTruth(value, where) : readText(value, where)
}

/** @param value an object, or only its `value` */
const readComplex = (
  { subAttributes = [] }: Attribute,
  value: unknown,
  where: string,
): Complex | undefined => {
  const complex = isObject(value) ? value : { value }
  if (!isObject(value) && (typeof value !== 'string' || attributeOf(subAttributes, 'value') === undefined))
    throw wrong(where, 'an object')
  const read: Record<string, string | boolean> = {}
  for (const [name, each] of Object.entries(complex)) {
    const sub = attributeOf(subAttributes, name)
    if (sub === undefined || sub.mutability === 'readOnly') continue
    const simple = readSimple(sub, each, `${where}.${sub.name}`)
    if (simple !== undefined) read[sub.name] = simple
  }
  return Object.keys(read).length === 0 ? undefined : read
}

/**
 * The value of an attribute; undefined if it is unassigned.
 * @throws ScimError invalidValue
 */
export const readValue = (
  attribute: Attribute,
  value: unknown,
  where = attribute.name,
): Value | undefined => {
  if (value === null || value === undefined) return undefined
  if (attribute.multiValued) {
    const list = (Array.isArray(value) ? value : [value]) as readonly unknown[]
    const read: Complex[] = []
    for (const each of list) {
      const one = each === null ? undefined : readComplex(attribute, each, where)
      if (one !== undefined) read.push(one)
    }
    return read.length === 0 ? undefined : read
  }
  // Some clients send a single value as a list of one.
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (attribute.type === 'complex') return one === '' ? undefined : readComplex(attribute, one, where)
  return readSimple(attribute, one, where)
}

/** Classifies an attribute name from a client: supported, ignored, or unknown. */
const readAttributes = (
  attributes: readonly Attribute[],
  resource: Readonly<Record<string, unknown>>,
): Attributes => {
  const read: Record<string, Value> = {}
  for (const [name, value] of Object.entries(resource)) {
    const attribute = attributeOf(attributes, name)
    if (attribute === undefined || attribute.mutability === 'readOnly') continue
    const one = readValue(attribute, value)
    if (one !== undefined) read[attribute.name] = one
  }
  return read
}

/**
 * Normalizes a whole resource.
 * @throws ScimError invalidSyntax if it is not a resource, invalidValue for a value of the wrong type
 */
export const readResource = (type: ResourceType, json: unknown): Resource => {
  if (!isObject(json)) throw badRequest('invalidSyntax', `The body must be a ${type.name} as a JSON object.`)
  const { extension } = type
  const under = Object.entries(json).find(([name]) => name.toLowerCase() === extension?.id.toLowerCase())?.[1]
  return {
    core: readAttributes(coreAttributes(type), json),
    extension: extension !== undefined && isObject(under) ? readAttributes(extension.attributes, under) : {},
  }
}
