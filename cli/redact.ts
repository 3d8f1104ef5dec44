import { stdSerializers } from 'pino'

const removed = '[redacted]'

/** Names whose values never reach a log line, in whatever object they arrive; compared without case, `_` and `-`. */
const secretNames = [
  ...['authorization', 'proxyauthorization', 'cookie', 'cookies', 'setcookie', 'password', 'passphrase'],
  ...['secret', 'secretkey', 'newsecretkey', 'clientsecret', 'clientassertion', 'privatekey', 'apikey'],
  ...['token', 'accesstoken', 'refreshtoken', 'idtoken', 'idtokenhint', 'sessiontoken', 'logintoken'],
  ...['code', 'codeverifier', 'devicecode', 'usercode', 'recoverycode', 'recoverycodes', 'otp', 'totp'],
  ...['samlresponse', 'samlrequest', 'databaseurl', 'eventstoreurl', 'smtpurl', 'connectionstring'],
]
const secretSet = new Set(secretNames)

const deepest = 6

const isSecret = (name: string): boolean => secretSet.has(name.toLowerCase().replace(/[_-]/g, ''))

/** A copy of a value fit for a log line. Errors become their type, message, stack and fields. */
export const redact = (name: string, value: unknown, depth = 0): unknown => {
  if (isSecret(name)) return value === undefined || value === null ? value : removed
  if (value instanceof Error) return redactError(value, depth)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return '[nested too deep]'
  if (Array.isArray(value)) return value.map((item) => redact('', item, depth + 1))
  if (value instanceof Uint8Array) return `[${value.length} bytes]`
  // What knows its own JSON form (dates, URLs) has no fields to hide.
  if ('toJSON' in value || value instanceof URL) return value
  const entries: [string, unknown][] = value instanceof Map ? [...value].map(pair) : Object.entries(value)
  return Object.fromEntries(entries.map(([key, item]) => [key, redact(key, item, depth + 1)]))
}

const pair = ([key, item]: [unknown, unknown]): [string, unknown] => [String(key), item]

/** An error's own `code` (ECONNREFUSED, ERR_CONFLICT, 23505) is what one searches for, no secret. */
const redactError = (error: Error, depth: number): unknown => {
  const { code, ...fields } = { ...stdSerializers.err(error) } as Record<string, unknown>
  const rest = redact('', fields, depth + 1) as Record<string, unknown>
  return code === undefined ? rest : { ...rest, code }
}

/** Secrets that travel inside text: URLs, headers, messages of other people's errors. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // A query or form parameter.
  [
    /\b((?:[a-z]+[_-])*(?:code|token|secret|password|assertion|hint|verifier|otp)|SAMLRe(?:quest|sponse))=[^&#;\s"'\\]+/gi,
    `$1=${removed}`,
  ],
  // An Authorization header.
  [/\b(Bearer|Basic|DPoP) +[A-Za-z0-9+/._~=-]{8,}/gi, `$1 ${removed}`],
  // A URL with a user in it.
  [/([a-z][a-z0-9+.-]*:\/\/)[^/@\s"'\\]+@/gi, `$1${removed}@`],
  // Our own credentials and every JSON Web Token.
  [/\b(whsec_|svs_|svk_)[A-Za-z0-9_-]{8,}/g, `$1${removed}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, removed],
]

/** Text with everything that looks like a credential taken out; keeps JSON lines valid. */
export const redactText = (text: string): string =>
  patterns.reduce((line, [pattern, kept]) => line.replace(pattern, kept), text)
