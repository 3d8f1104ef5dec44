/**
 * JSON in canonical form (RFC 8785): members ordered by the UTF-16 code units of their names, no white space,
 * numbers and strings as in ECMAScript. A lone surrogate, which the RFC does not cover, is written as its
 * `\uXXXX` escape, because events can contain one.
 * @throws TypeError for values that JSON cannot represent: numbers that are not finite, functions, big
 * integers
 */
export const canonical = (value: unknown): string => {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError('cannot write a number that is not finite as JSON')
  if (value === null || typeof value !== 'object') {
    if (typeof value === 'bigint') throw new TypeError('cannot write a big integer as JSON')
    const text = JSON.stringify(value) as string | undefined
    if (text === undefined) throw new TypeError(`cannot write ${typeof value} as JSON`)
    return text
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = value as Readonly<Record<string, unknown>>
  return `{${Object.keys(members)
    .filter((name) => members[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(members[name])}`)
    .join(',')}}`
}
