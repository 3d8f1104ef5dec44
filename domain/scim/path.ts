/** RFC 7644 §3.5.2: the path of a PATCH operation. */
import { badRequest } from './errors.ts'
import { parseComparisons } from './filter.ts'
import { attributeOf, coreAttributes, type Attribute, type ResourceType } from './schemas.ts'

/** What an operation is about. */
export interface Target {
  readonly of: 'core' | 'extension'
  readonly attribute: Attribute
  readonly sub?: Attribute
  /** Which values of a list: those of which a part equals. */
  readonly filter?: { readonly sub: Attribute; readonly value: string | boolean }
}

/** The whole extension, or something that is accepted and let go. */
export type Place = Target | 'extension' | 'ignored'

const MAX_LENGTH = 1000
const PARTS = /^([A-Za-z][\w$-]*)(?:\[((?:[^"\]]|"(?:[^"\\]|\\.)*")*)\])?(?:\.([A-Za-z$][\w$-]*))?$/

const invalid = (path: string) =>
  badRequest('invalidPath', `The path ${JSON.stringify(path.slice(0, 100))} names no attribute.`)

/** The schema that a path begins with, and the rest. Null for an extension that is not known. */
const schemaOf = (type: ResourceType, path: string): readonly [Target['of'], string] | null => {
  if (!/^urn:/i.test(path)) return ['core', path]
  const lower = path.toLowerCase()
  for (const [of, schema] of [
    ['core', type.schema],
    ['extension', type.extension],
  ] as const) {
    const urn = schema?.id.toLowerCase()
    if (urn === undefined) continue
    if (lower === urn) return [of, '']
    if (lower.startsWith(`${urn}:`)) return [of, path.slice(urn.length + 1)]
  }
  return null
}

const filterOf = (attribute: Attribute, written: string, path: string): Target['filter'] => {
  let comparisons
  try {
    comparisons = parseComparisons(written)
  } catch {
    throw badRequest('invalidFilter', `The filter of ${attribute.name} must be written as name eq "value".`)
  }
  const [only, ...others] = comparisons
  const sub = only === undefined ? undefined : attributeOf(attribute.subAttributes ?? [], only.path)
  if (only === undefined || sub === undefined || others.length > 0) throw invalid(path)
  const { value } = only
  // Truth in quotes is meant as truth: Entra ID writes it so.
  const meant =
    sub.type === 'boolean' && typeof value === 'string' && /^(?:true|false)$/i.test(value)
      ? value.toLowerCase() === 'true'
      : value
  if (typeof meant !== (sub.type === 'boolean' ? 'boolean' : 'string'))
    throw badRequest('invalidFilter', `${attribute.name}.${sub.name}: expected another kind of value`)
  return { sub, value: meant as string | boolean }
}

/** @throws ScimError invalidPath, invalidFilter */
export const parsePath = (type: ResourceType, path: string): Place => {
  if (path.length > MAX_LENGTH) throw invalid(path)
  const found = schemaOf(type, path)
  if (found === null) return 'ignored'
  const [of, rest] = found
  if (of === 'extension' && rest === '') return 'extension'
  const [, name = '', filter, subName] = PARTS.exec(rest) ?? []
  const attributes = of === 'core' ? coreAttributes(type) : (type.extension?.attributes ?? [])
  const attribute = attributeOf(attributes, name)
  if (attribute === undefined) {
    if (type.ignored.has(name.toLowerCase())) return 'ignored'
    throw invalid(path)
  }
  const sub = subName === undefined ? undefined : attributeOf(attribute.subAttributes ?? [], subName)
  if (subName !== undefined && sub === undefined) {
    if (type.ignored.has(`${name}.${subName}`.toLowerCase())) return 'ignored'
    throw invalid(path)
  }
  if (filter !== undefined && !attribute.multiValued) throw invalid(path)
  const valueFilter = filter === undefined ? undefined : filterOf(attribute, filter, path)
  return {
    of,
    attribute,
    ...(sub === undefined ? {} : { sub }),
    ...(valueFilter === undefined ? {} : { filter: valueFilter }),
  }
}
