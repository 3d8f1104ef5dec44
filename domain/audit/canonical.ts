/**
 * JSON in its one canonical form (RFC 8785): members in order of their names' UTF-16 code units, no white space, numbers
 * and strings as ECMAScript writes them. A lone surrogate, which the RFC has no form for, is written as its `\uXXXX`
 * escape: an event that holds one must have a form too.
 * @throws TypeError for what JSON has no form for: numbers that are not finite, functions, big integers
 */
export const canonical = (value: unknown): string => {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError('a number must be finite to be written as JSON')
  if (value === null || typeof value !== 'object') {
    if (typeof value === 'bigint') throw new TypeError('a big integer cannot be written as JSON')
    const text = JSON.stringify(value) as string | undefined
    if (text === undefined) throw new TypeError(`${typeof value} cannot be written as JSON`)
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
