/** RFC 7644 §3.9: which attributes of a resource a response contains. */

/** Attributes by lower-case name, each with its selected parts; null for all parts. */
type Named = ReadonlyMap<string, ReadonlySet<string> | null>

export interface Selection {
  readonly only: Named | null
  readonly without: Named | null
}

export const everything: Selection = { only: null, without: null }

const always: ReadonlySet<string> = new Set(['schemas', 'id'])

const split = (path: string, urns: readonly string[]): readonly [string, string | undefined] => {
  // A request for some values of a list, such as emails[type eq "work"], gets the whole list.
  const lower = path.toLowerCase().replace(/\[[^\]]*\]/g, '')
  const [core = '', ...extensions] = urns.map((urn) => urn.toLowerCase())
  for (const urn of extensions) {
    if (lower === urn) return [urn, undefined]
    if (lower.startsWith(`${urn}:`)) return [urn, lower.slice(urn.length + 1).split('.', 1)[0]]
  }
  const bare = lower.startsWith(`${core}:`) ? lower.slice(core.length + 1) : lower
  const [name = '', sub] = bare.split('.', 2)
  return [name, sub]
}

const namedIn = (list: string, urns: readonly string[]): Named => {
  const named = new Map<string, Set<string> | null>()
  for (const path of list.split(',').map((each) => each.trim())) {
    if (path === '') continue
    const [name, sub] = split(path, urns)
    const subs = named.get(name)
    if (sub === undefined || subs === null) named.set(name, null)
    else named.set(name, (subs ?? new Set()).add(sub))
  }
  return named
}

/**
 *
 * @param urns of the core schema, then of the extensions
 * @param attributes as in the query; takes precedence if both are sent
 */
export const readSelection = (
  urns: readonly string[],
  attributes: string | null,
  excludedAttributes: string | null,
): Selection => {
  if (attributes !== null && attributes !== '') return { only: namedIn(attributes, urns), without: null }
  if (excludedAttributes !== null && excludedAttributes !== '')
    return { only: null, without: namedIn(excludedAttributes, urns) }
  return everything
}

/** Whether a response contains any part of an attribute. */
export const holds = ({ only, without }: Selection, name: string): boolean => {
  const lower = name.toLowerCase()
  return only === null ? without?.get(lower) !== null : only.has(lower)
}

const partsOf = (value: unknown, keeps: (part: string) => boolean): unknown => {
  if (Array.isArray(value)) return value.map((each) => partsOf(each, keeps))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([part]) => keeps(part.toLowerCase())))
}

/** The requested part of the resource. */
export const selected = (
  { only, without }: Selection,
  resource: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  if (only === null && without === null) return resource
  return Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
      const lower = name.toLowerCase()
      if (always.has(lower)) return [[name, value]]
      if (only !== null) {
        const parts = only.get(lower)
        if (parts === undefined) return []
        return [[name, parts === null ? value : partsOf(value, (part) => parts.has(part))]]
      }
      const parts = without?.get(lower)
      if (parts === undefined) return [[name, value]]
      return parts === null ? [] : [[name, partsOf(value, (part) => !parts.has(part))]]
    }),
  )
}
