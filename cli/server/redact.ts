const removed = '[redacted]'

/** Names of fields whose values are never logged, in any object; compared without case, `_` and `-`. */
const secretNames = [
  ...['authorization', 'proxyauthorization', 'cookie', 'cookies', 'setcookie', 'password', 'passphrase'],
  ...['secret', 'secretkey', 'newsecretkey', 'clientsecret', 'clientassertion', 'privatekey', 'apikey'],
  ...['token', 'accesstoken', 'refreshtoken', 'idtoken', 'idtokenhint', 'sessiontoken', 'logintoken'],
  ...['code', 'codeverifier', 'devicecode', 'usercode', 'recoverycode', 'recoverycodes', 'otp', 'totp'],
  ...['samlresponse', 'samlrequest', 'databaseurl', 'eventstoreurl', 'smtpurl', 'connectionstring'],
]
const secretSet = new Set(secretNames)

/** Error fields in which Postgres quotes rows and values: they may be personal, and message, code and table suffice. */
const quotingNames = new Set(['detail', 'where', 'internalQuery', 'parameters'])

const isSecret = (name: string): boolean => secretSet.has(name.toLowerCase().replace(/[_-]/g, ''))

/**
 * Returns a copy of a JSON value with every secret removed: fields by their name, credentials inside text by their
 * format.
 */
export const redact = (value: unknown): unknown => {
  if (typeof value === 'string') return redactText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(redact)
  if ('data' in value && 'type' in value && value.type === 'Buffer') return removed
  // The code of an error (ECONNREFUSED, ERR_CONFLICT, 23505) is not a secret and is useful for searching.
  const isError = 'stack' in value && 'message' in value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]: [string, unknown]) => {
      if (item === null || (isError && name === 'code')) return [name, item]
      if (isError && quotingNames.has(name)) return [name, removed]
      return [name, isSecret(name) ? removed : redact(item)]
    }),
  )
}

/** Secrets that appear inside text: URLs, headers, messages of third-party errors. */
const patterns: readonly (readonly [RegExp, string])[] = [
  // A query or form parameter.
  [
    /\b((?:[a-z]+[_-])*(?:code|token|secret|password|assertion|hint|verifier|otp)|SAMLRe(?:quest|sponse))=[^&#;\s"']+/gi,
    `$1=${removed}`,
  ],
  // An Authorization header.
  [/\b(Bearer|Basic|DPoP) +[A-Za-z0-9+/._~=-]{8,}/gi, `$1 ${removed}`],
  // A URL with a user in it.
  [/([a-z][a-z0-9+.-]*:\/\/)[^/@\s"']+@/gi, `$1${removed}@`],
  // Our own credentials and every JSON Web Token.
  [/\b(whsec_|svs_|svk_)[A-Za-z0-9_-]{8,}/g, `$1${removed}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, removed],
]

/** Removes everything that looks like a credential from a text. */
const redactText = (text: string): string =>
  patterns.reduce((line, [pattern, kept]) => line.replace(pattern, kept), text)
