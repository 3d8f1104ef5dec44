import { limitNames, readLimits, type Limits } from '../../adapters/inbound/http/rate-limit-rules.ts'
import { isIP, isIPv4 } from 'node:net'
import { isLocalHost } from '../../domain/local-host.ts'

/**
 * A parsed value, or a description of the expected form. It never contains an invalid value, because some are secret.
 */
export type Parsed<T> = { readonly value: T } | { readonly expected: string }

export interface Address {
  readonly host: string
  readonly port: number
}

const parseUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/**
 * Parses the public address: an origin, https unless local. It is compared exactly as issuer, so it is normalized
 * here.
 */
export const publicUrl = (text: string): Parsed<string> => {
  const expected = 'https://<host>[:<port>] without path, query or user; http only for localhost'
  const url = parseUrl(text)
  if (url === undefined || url.hostname === '') return { expected }
  const plain = url.protocol === 'http:' && isLocalHost(url.hostname)
  if (url.protocol !== 'https:' && !plain) return { expected }
  const bare = url.pathname === '/' && !text.includes('?') && !text.includes('#') && !text.includes('@')
  return bare ? { value: url.origin } : { expected }
}

/** Parses `host:port`, with IPv6 hosts in brackets. */
export const address = (text: string): Parsed<Address> => {
  const expected = '<host>:<port>, for example 127.0.0.1:8080 or [::1]:8080'
  const parts = /^(?:\[(?<v6>[^\]]+)\]|(?<host>[A-Za-z0-9.-]+)):(?<port>\d{1,5})$/.exec(text)?.groups
  const port = Number(parts?.['port'])
  const v6 = parts?.['v6']
  const host = v6 ?? parts?.['host']
  if (host === undefined || port > 65535 || (v6 !== undefined && isIP(v6) !== 6)) return { expected }
  return { value: { host, port } }
}

/** Parses a key of at least 32 bytes in hex, base64 or base64url; the text is kept unchanged. */
export const secretKey = (text: string): Parsed<string> => {
  const expected = 'at least 32 random bytes in base64 or hex; create one with: openssl rand -base64 32'
  const isHex = /^(?:[0-9a-fA-F]{2})+$/.test(text)
  if (!isHex && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return { expected }
  return Buffer.from(text, isHex ? 'hex' : 'base64url').length >= 32 ? { value: text } : { expected }
}

/** Parses a URL with one of the schemes; the text is kept unchanged. */
export const urlOf =
  (schemes: readonly string[], rest: string) =>
  (text: string): Parsed<string> => {
    const known = schemes.some((scheme) => text.startsWith(`${scheme}://`))
    // The address list of a cluster (`a:2113,b:2113`) is not a valid URL, so only the scheme and the presence of a
    // host are checked.
    const complete = /^[a-z+]+:\/\/[^/\s]\S*$/.test(text)
    return known && complete
      ? { value: text }
      : { expected: schemes.map((scheme) => `${scheme}://${rest}`).join(' or ') }
  }

/**
 * Parses the address of a mail server: scheme, host, and optionally a port, a user and a password (percent-encoded).
 */
export const smtpUrl = (text: string): Parsed<string> => {
  const expected =
    'smtp://[<user>:<password>@]<host>[:<port>] or smtps://…, user and password percent-encoded'
  const url = parseUrl(text)
  if (url === undefined || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    return { expected }
  // An incomplete credential is a mistake, and a path would be ignored.
  const whole = (url.username === '') === (url.password === '') && /^\/?$/.test(url.pathname)
  const readable = /^(?:[^%]|%[0-9a-f]{2})*$/i.test(url.username + url.password)
  return whole && readable && url.search === '' && url.hash === '' ? { value: text } : { expected }
}

/** Parses a number of digits only, from `least` to `most`. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): Parsed<number> => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN
    return value >= least && value <= most
      ? { value }
      : { expected: `a whole number from ${String(least)} to ${String(most)}` }
  }

export const oneOf =
  <const T extends string>(...choices: readonly T[]) =>
  (text: string): Parsed<T> => {
    const value = choices.find((choice) => choice === text)
    return value === undefined ? { expected: choices.join(', ').replace(/, ([^,]*)$/, ' or $1') } : { value }
  }

export const text =
  (pattern: RegExp, expected: string) =>
  (value: string): Parsed<string> =>
    pattern.test(value) ? { value } : { expected }

/** Parses request limits: `off`, or the limits to change. */
export const rateLimits = (text: string): Parsed<Limits> => {
  const value = readLimits(text)
  return value === undefined
    ? {
        expected: `off, or limits separated by commas, each <name>=<requests>/<period> or <name>=off, for example sign-in=40/min,magic-link=5/15min; names: ${limitNames.join(', ')}`,
      }
    : { value }
}

/** Parses networks as `address/prefix`, separated by commas; a bare address is a network of one. */
export const networks = (list: string): Parsed<readonly string[]> => {
  const parsed = list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map(network)
  return parsed.includes(undefined)
    ? { expected: 'networks separated by commas, for example 10.0.0.0/8,fd00::/8' }
    : { value: parsed.filter((item) => item !== undefined) }
}

export const dnsServers = (list: string): Parsed<readonly string[]> => {
  const servers = list.split(',').map((item) => item.trim())
  return servers.every((server) => isDnsServer(server))
    ? { value: servers }
    : {
        expected:
          'addresses separated by commas, with optional ports, for example 192.0.2.53,[2001:db8::53]:5353',
      }
}

const isDnsServer = (server: string): boolean => {
  const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^:\]]+))(?::(\d{1,5}))?$/.exec(server) ?? []
  const isAddress =
    bracketed === undefined ? isIPv4(plain ?? '') || isIP(server) === 6 : isIP(bracketed) === 6
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535
}

const network = (item: string): string | undefined => {
  const [ip = '', prefix, ...more] = item.split('/')
  if (isIP(ip) === 0 || more.length > 0) return undefined
  const bits = isIPv4(ip) ? 32 : 128
  if (prefix === undefined) return `${ip}/${bits}`
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits ? `${ip}/${Number(prefix)}` : undefined
}
