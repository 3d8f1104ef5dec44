/** RFC 7644 §3.5.2: the path of a PATCH operation. */
import { badRequest } from './errors.ts'
import { parseComparisons } from './filter.ts'
import { attributeOf, coreAttributes, type Attribute, type ResourceType } from './schemas.ts'

/** The target of an operation. */
export interface Target {
  readonly of: 'core' | 'extension'
  readonly attribute: Attribute
  readonly sub?: Attribute
  /** Selects the values of a list with an equal part */
  readonly filter?: { readonly sub: Attribute; readonly value: string | boolean }
}

/** The whole extension, or an attribute that is accepted and ignored. */
export type Place = Target | 'extension' | 'ignored'

const MAX_LENGTH = 1000
const PARTS = /^([A-Za-z][\w$-]*)(?:\[((?:[^"\]]|"(?:[^"\\]|\\.)*")*)\])?(?:\.([A-Za-z$][\w$-]*))?$/

const invalid = (path: string) =>
  badRequest('invalidPath', `The path ${JSON.stringify(path.slice(0, 100))} is not a known attribute.`)

/** The schema prefix of a path, and the rest. Null for an unknown extension. */
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
    throw badRequest('invalidFilter', `The filter of ${attribute.name} must have the form name eq "value".`)
  }
  const [only, ...others] = comparisons
  const part = only === undefined ? undefined : attributeOf(attribute.subAttributes ?? [], only.path)
  if (only === undefined || part === undefined || others.length > 0) throw invalid(path)
  const { value } = only
  // A quoted boolean counts as a boolean: Entra ID sends booleans in quotes.
  const meant =
    part.type === 'boolean' && typeof value === 'string' && /^(?:true|false)$/i.test(value)
      ? value.toLowerCase() === 'true'
      : value
  if (typeof meant !== (part.type === 'boolean' ? 'boolean' : 'string'))
    throw badRequest('invalidFilter', `${attribute.name}.${part.name}: has the wrong type`)
  return { sub: part, value: meant as string | boolean }
}

/** @throws ScimError invalidPath, invalidFilter */
export const parsePath = (type: ResourceType, path: string): Place => {
  if (path.length > MAX_LENGTH) throw invalid(path)
  const match = schemaOf(type, path)
  if (match === null) return 'ignored'
  const [of, rest] = match
  if (of === 'extension' && rest === '') return 'extension'
  const [, name = '', filter, subName] = PARTS.exec(rest) ?? []
  const attributes = of === 'core' ? coreAttributes(type) : (type.extension?.attributes ?? [])
  const attribute = attributeOf(attributes, name)
  if (attribute === undefined) {
    if (type.ignored.has(name.toLowerCase())) return 'ignored'
    throw invalid(path)
  }
  const part = subName === undefined ? undefined : attributeOf(attribute.subAttributes ?? [], subName)
  if (subName !== undefined && part === undefined) {
    if (type.ignored.has(`${name}.${subName}`.toLowerCase())) return 'ignored'
    throw invalid(path)
  }
  if (filter !== undefined && !attribute.multiValued) throw invalid(path)
  const valueFilter = filter === undefined ? undefined : filterOf(attribute, filter, path)
  const target: Target = {
    of,
    attribute,
    ...(part === undefined ? {} : { sub: part }),
    ...(valueFilter === undefined ? {} : { filter: valueFilter }),
  }
  return target
}
