/**
 * RFC 6749 §3.1, §3.2: parameters of a request. An empty parameter counts as missing; none may be repeated
 * (except `resource`, RFC 8707 §2); unknown ones are ignored at any length; known ones have a maximum length.
 */

/** The parameters of a query or a form. */
export interface Parameters {
  /** Undefined if it is missing, empty, repeated, or too long. */
  get(name: string): string | undefined
  /** The value to return to the sender, however long it is. Undefined if it is missing or repeated. */
  echo(name: string): string | undefined
  all(name: string): readonly string[]
  /** Names of repeated parameters. */
  readonly repeated: readonly string[]
  /** Names of known parameters that are too long. */
  readonly oversized: readonly string[]
}

const REPEATABLE = new Set(['resource'])
const LIMIT = 2048
const TOKEN_LIMIT = 16_384

/** Parameters that are rejected if they are too long; all others are then ignored. */
const usual = [
  ...[
    'client_id',
    'client_secret',
    'redirect_uri',
    'post_logout_redirect_uri',
    'response_type',
    'response_mode',
  ],
  ...['scope', 'resource', 'state', 'code_challenge', 'code_challenge_method', 'code_verifier', 'grant_type'],
  ...['prompt', 'max_age', 'acr_values', 'login_hint', 'domain_hint', 'logout_hint', 'user_code'],
]

/** Maximum lengths in characters. An ID token contains all groups of a user; a nonce is stored in a code. */
const limits: ReadonlyMap<string, number> = new Map([
  ...usual.map((name) => [name, LIMIT] as const),
  ['id_token_hint', TOKEN_LIMIT],
  ['nonce', 512],
  ['code', TOKEN_LIMIT],
  ['access_token', TOKEN_LIMIT],
  ['refresh_token', TOKEN_LIMIT],
  ['token', TOKEN_LIMIT],
  ['device_code', 512],
  // Their presence is an error, so they must be parsed.
  ['request', Infinity],
  ['request_uri', Infinity],
  ['registration', Infinity],
])

/** @param pairs decoded names and values, in the order sent */
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
    .filter(([name, sent]) => sent.some((value) => value.length > (limits.get(name) ?? Infinity)))
    .map(([name]) => name)
  const unusable = new Set([...repeated, ...oversized])
  return {
    get: (name) => {
      const value = unusable.has(name) ? undefined : values.get(name)?.[0]
      return value === '' || (value?.length ?? 0) > (limits.get(name) ?? LIMIT) ? undefined : value
    },
    echo: (name) => {
      const value = repeated.includes(name) ? undefined : values.get(name)?.[0]
      return value === '' ? undefined : value
    },
    all: (name) => (values.get(name) ?? []).filter((value) => value !== ''),
    repeated,
    oversized,
  }
}

/** What is wrong with the parameters in general, for the application's developer; null if they are valid. */
export const parametersProblem = ({ repeated, oversized }: Parameters): string | null => {
  const printable = (name: string): string => name.replaceAll(/[^\w.-]/g, '?').slice(0, 50)
  const [twice] = repeated
  if (twice !== undefined) return `${printable(twice)} was sent more than once`
  const [long] = oversized
  return long === undefined ? null : `${printable(long)} is too long`
}
