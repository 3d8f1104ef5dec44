/**
 * JSON in canonical form (RFC 8785): members ordered by the UTF-16 code units of their names, no white space,
 * numbers and strings as in ECMAScript. A lone surrogate, which the RFC does not cover, is written as its
 * `\uXXXX` escape, because events can contain one.
 * @throws TypeError for values that JSON cannot represent: numbers that are not finite, functions, big
 * integers
 */
export const canonical = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError('cannot write a number that is not finite as JSON')
  if (value === null || typeof value !== 'object') {
    if (typeof value === 'bigint') throw new TypeError('cannot write a big integer as JSON')
    const text = JSON.stringify(value) as string | undefined
    if (text === undefined) throw new TypeError(`cannot write ${typeof value} as JSON`)
    return text
  }
  return Array.isArray(value) ? arrayText(value) : objectText(value as Readonly<Record<string, unknown>>)
}

/** Printable ASCII without quotation mark and backslash: nothing to escape. Most texts of events are. */
const plain = /^[ !#-[\]-~]*$/

const quoted = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text))

const arrayText = (items: readonly unknown[]): string => {
  let text = ''
  for (const item of items) text += (text === '' ? '' : ',') + canonical(item)
  return `[${text}]`
}

const objectText = (members: Readonly<Record<string, unknown>>): string => {
  let text = ''
  for (const name of Object.keys(members).sort()) {
    const value = members[name]
    if (value !== undefined) text += `${text === '' ? '' : ','}${quoted(name)}:${canonical(value)}`
  }
  return `{${text}}`
}
