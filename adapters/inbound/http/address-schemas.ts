/**
 * Patterns for addresses, so that the API document states which ones are accepted: RFC 3986 §3, restricted to forms
 * that every URL parser reads the same way. The domain rules check the same, and also what a pattern cannot express:
 * canonical IPv6 and punycode.
 */
import { Type } from 'typebox'
import { INVISIBLE } from './character-classes.ts'

const DOMAIN = '(?:[a-z0-9_-]+\\.)*[a-z][a-z0-9_-]*'
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`
const IPV6 = '\\[[0-9a-f:]+\\]'
const HOST = `(?:${DOMAIN}|${IPV4}|${IPV6})`
const NUMBER = '(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'
const PORT = `(?::${NUMBER})?`

/** Segments without `.` and `..`, which URL parsers remove, also in percent-encoded form. */
const pathOf = (more: string): string => {
  const char = `(?:[A-Za-z0-9_~!$&'()+,;=:@${more}-]|%(?:[013-9A-Fa-f][0-9A-Fa-f]|2[0-9A-DFa-df]))`
  const rest = `(?:${char}|\\.)*`
  return `(?:/(?:${char}${rest}|\\.${char}${rest}|\\.\\.(?:${char}|\\.)${rest})?)`
}
const QUERY = '(?:\\?(?:[A-Za-z0-9_.~!$&()+,;=:@/?-]|%[0-9A-Fa-f]{2})+)?'

const LOOPBACK = '(?:localhost|127\\.0\\.0\\.1)'
const https = `https://${HOST}${PORT}`
const webRest = `${PORT}${pathOf('')}*${QUERY}`
const webForms = `https://${HOST}${webRest}|http://${LOOPBACK}${webRest}`
/** All printable characters except `#`, `*` and backslashes. */
const APP_CHAR = '[\\x21\\x22\\x24-\\x29\\x2b-\\x5b\\x5d-\\x7e]'
const APP_FIRST = '[\\x21\\x22\\x24-\\x29\\x2b-\\x2e\\x30-\\x5b\\x5d-\\x7e]'
const appRest = `(?://[A-Za-z0-9_.-]*(?:[/?]${APP_CHAR}*)?|/?(?:${APP_FIRST}${APP_CHAR}*)?)`

const address = (pattern: string, title: string, example: string, maxLength = 2048) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: `^(?:${pattern})$`,
    format: 'uri',
    title,
    examples: [example],
  })

export const HttpsUrl = address(
  `${https}${pathOf('')}*${QUERY}`,
  'an https address without a fragment or wildcards, in normalized form',
  'https://app.example.com/start',
)

/** Addresses that browsers return to: https, or http on this computer. */
export const WebAddress = address(
  webForms,
  'an https address, or http on localhost or 127.0.0.1, without a fragment or wildcards, in normalized form',
  'https://app.example.com/callback',
)

/** The same, and addresses that only installed applications receive (RFC 8252 §7). */
export const NativeAddress = address(
  `${webForms}|http://\\[::1\\]${webRest}|[a-z][a-z0-9+-]*(?:\\.[a-z0-9+-]+)+:${appRest}`,
  'an https address, http on a loopback address, or an address with a reverse-DNS scheme',
  'com.example.app:/callback',
)

export const Origin = address(
  `(?!https:.*:443$|http:.*:80$)(?:https://${HOST}|http://${LOOPBACK})${PORT}`,
  'an origin',
  'https://app.example.com',
)

const LOCAL = `(?:(?:[A-Za-z0-9_-]+\\.)*localhost|127\\.${OCTET}\\.${OCTET}\\.${OCTET}|\\[::1\\])`
const ENDPOINT_HOST = `(?:(?:[A-Za-z0-9_-]+\\.)*[A-Za-z][A-Za-z0-9_-]*|${IPV4}|\\[[0-9A-Fa-f:.]+\\])`
const endpoint = (rest: string): string => `(?:https://${ENDPOINT_HOST}|http://${LOCAL})${PORT}${rest}`

/** An address that the service sends requests to. It is not compared with anything, so any spelling is accepted. */
export const EndpointUrl = (example: string) =>
  address(
    endpoint(`(?:[/?][^\\s\\\\#${INVISIBLE}]*)?`),
    'an https address, or http on localhost, a name under .localhost or a loopback address',
    example,
  )
export const EndpointBaseUrl = (example: string) =>
  address(
    endpoint(`(?:/[^\\s\\\\#?${INVISIBLE}]*)?`),
    'an https address without a query, or http on localhost, a name under .localhost or a loopback address',
    example,
  )

const normalised = `(?!https:[^?]*//[^/?]*:443(?:/|$)|http://[^/?]*:80(?:/|$))https?://${HOST}${PORT}(?:${pathOf('*')}+${QUERY})?`
const NAME_CHAR = "(?:[A-Za-z0-9_.~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})"
const named = `(?!(?:https?|wss?|ftp|javascript|data|vbscript|blob|file):)[a-z][a-z0-9+.-]*:(?://[A-Za-z0-9_.-]*(?:/${NAME_CHAR}*)?|/?(?:[A-Za-z0-9_.~:@!$&'()*+,;=-]${NAME_CHAR}*))`
const socket = `(?:wss?|ftp)://${HOST}${PORT}(?:/${NAME_CHAR}*)?`

/** The identifier of an API (RFC 8707 §2), which is compared as a string. */
export const Identifier = Type.String({
  minLength: 3,
  maxLength: 500,
  pattern: `^(?:${normalised}|${socket}|${named})$`,
  format: 'uri',
  title: 'an absolute URI without a fragment, in normalized form',
  description: 'used as the audience of access tokens',
  examples: ['https://billing.example.com'],
})

const HEX = '[0-9A-Fa-f]{1,4}'
const IPV6_ADDRESS = [
  `(?:${HEX}:){7}${HEX}`,
  ...[1, 2, 3, 4, 5, 6, 7].map((n) =>
    n === 7 ? `(?:${HEX}:){1,7}:` : `(?:${HEX}:){1,${String(7 - n)}}(?::${HEX}){1,${String(n)}}`,
  ),
  `:(?::${HEX}){1,7}`,
  '::',
].join('|')

/** An IP address or an address range (RFC 4632 §3.1, RFC 4291 §2.3). */
export const AddressRange = Type.String({
  minLength: 2,
  maxLength: 50,
  pattern: `^(?:${IPV4}(?:/(?:3[0-2]|[12]?[0-9]))?|(?:${IPV6_ADDRESS})(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`,
  title: 'an address or a range',
  examples: ['203.0.113.0/24'],
})
