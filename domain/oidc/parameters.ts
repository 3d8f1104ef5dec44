/**
 * RFC 6749 §3.1, §3.2: parameters of a request. One sent without a value counts as not sent; none may be sent twice
 * (but `resource`, RFC 8707 §2); unknown ones are ignored; none that we read may be longer than its limit.
 */

/** What a query or a form held, read once. */
export interface Parameters {
  /** Undefined when it was not sent, sent empty, sent twice, or is too long. */
  get(name: string): string | undefined
  all(name: string): readonly string[]
  /** Names sent more than once. */
  readonly repeated: readonly string[]
  /** Names of known parameters that are longer than allowed. */
  readonly oversized: readonly string[]
}

const REPEATABLE = new Set(['resource'])
const LIMIT = 2048

/** Characters per parameter where it is not 2048. An ID token holds all of a person's groups; a nonce goes into a code. */
const limits: Readonly<Record<string, number>> = {
  id_token_hint: 16_384,
  nonce: 512,
  code: 16_384,
  access_token: 16_384,
  refresh_token: 16_384,
  token: 16_384,
  device_code: 512,
}

/** @param pairs names and values, decoded, in the order they were sent */
export const readParameters = (pairs: Iterable<readonly [string, string]>): Parameters => {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  const repeated = [...values]
    .filter(([name, sent]) => sent.length > 1 && !REPEATABLE.has(name))
    .map(([name]) => name)
  const oversized = [...values]
    .filter(([name, sent]) => sent.some((value) => value.length > (limits[name] ?? LIMIT)))
    .map(([name]) => name)
  const unusable = new Set([...repeated, ...oversized])
  return {
    get: (name) => {
      const value = unusable.has(name) ? undefined : values.get(name)?.[0]
      return value === '' ? undefined : value
    },
    all: (name) => (values.get(name) ?? []).filter((value) => value !== ''),
    repeated,
    oversized,
  }
}

/** What is wrong with the parameters as such, in words for the application's developer; null when nothing is. */
export const parametersProblem = ({ repeated, oversized }: Parameters): string | null => {
  const printable = (name: string): string => name.replaceAll(/[^\w.-]/g, '?').slice(0, 50)
  const [twice] = repeated
  if (twice !== undefined) return `${printable(twice)} may be sent once only`
  const [long] = oversized
  return long === undefined ? null : `${printable(long)} is too long`
}
