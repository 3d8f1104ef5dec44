/**
 * SAML 2.0 Bindings §3.4 (HTTP-Redirect) and §3.5 (HTTP-POST): from parameters to the text of a message. Parameters
 * are used exactly as sent, because RelayState must be returned unchanged. SigAlg and Signature are ignored.
 */
import { inflateRawSync } from 'node:zlib'
import { DEFLATE } from '../../../domain/saml/names.ts'
import { SamlRequestError } from './request-error.ts'

export interface BoundMessage {
  /** The text of the message */
  readonly xml: string
  /** Null if none was sent */
  readonly relayState: string | null
}

/** Maximum bytes of an inflated message. */
const MESSAGE_LIMIT = 64 * 1024
/** Maximum bytes. The standard allows 80, but some applications send more. */
const RELAY_STATE_LIMIT = 2048

/** Maximum number of parameters. The standard defines five; others are ignored. */
const MAX_PARAMETERS = 100

const known = new Set(['SAMLRequest', 'SAMLResponse', 'RelayState', 'SAMLEncoding', 'SigAlg', 'Signature'])
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const textOf = (bytes: Buffer, what: string): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new SamlRequestError(`${what} is not UTF-8`)
  }
}

const decoded = (encoded: string, what: string): string => {
  const spaced = encoded.replaceAll('+', ' ')
  if (/%(?![\da-f]{2})/i.test(spaced)) throw new SamlRequestError(`${what} is not percent-encoded`)
  // Raw bytes and percent-encoded bytes belong to the same text.
  const ascii = spaced.replace(/[\x80-\xff]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
  try {
    return decodeURIComponent(ascii)
  } catch {
    throw new SamlRequestError(`${what} is not UTF-8`)
  }
}

/** @param query a query or a form, still encoded */
const parametersOf = (query: string): ReadonlyMap<string, string> => {
  const parameters = new Map<string, string>()
  const pairs = query.split('&', MAX_PARAMETERS + 1)
  if (pairs.length > MAX_PARAMETERS) throw new SamlRequestError('too many parameters')
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    if (!known.has(name)) continue
    if (parameters.has(name)) throw new SamlRequestError(`${name} was sent twice`)
    parameters.set(name, equals === -1 ? '' : decoded(pair.slice(equals + 1), name))
  }
  return parameters
}

/** Whether text is base64 (RFC 4648 §4), with complete padding or without any. */
const isBase64 = (text: string): boolean => {
  const digits = /[^A-Za-z0-9+/]/.exec(text)?.index ?? text.length
  const rest = digits % 4
  const padding = text.slice(digits)
  return digits > 0 && rest !== 1 && (padding === '' || padding === '='.repeat((4 - rest) % 4))
}

const bytesOf = (base64: string): Buffer => {
  if (!isBase64(base64)) throw new SamlRequestError('SAMLRequest is not base64')
  return Buffer.from(base64, 'base64')
}

const inflated = (bytes: Buffer): Buffer => {
  try {
    return inflateRawSync(bytes, { maxOutputLength: MESSAGE_LIMIT })
  } catch {
    throw new SamlRequestError('SAMLRequest is not deflated, or more than 64 KiB when inflated')
  }
}

/** A form cannot return every text unchanged: browsers convert line breaks and drop U+0000. */
const relayStateOf = (parameters: ReadonlyMap<string, string>): string | null => {
  const relayState = parameters.get('RelayState') ?? null
  if (relayState === null) return null
  if (Buffer.byteLength(relayState) > RELAY_STATE_LIMIT)
    throw new SamlRequestError('RelayState is longer than 2048 bytes')
  if (/[\0\r\n]/.test(relayState)) throw new SamlRequestError('RelayState contains a line break or U+0000')
  return relayState
}

const requestOf = (parameters: ReadonlyMap<string, string>): string => {
  const request = parameters.get('SAMLRequest')
  if (request === undefined) throw new SamlRequestError('SAMLRequest is missing')
  return request
}

/** @throws SamlRequestError */
export const readRedirect = (query: string): BoundMessage => {
  const parameters = parametersOf(query)
  const encoding = parameters.get('SAMLEncoding')
  if (encoding !== undefined && encoding !== DEFLATE)
    throw new SamlRequestError('SAMLEncoding is not DEFLATE')
  const xml = textOf(inflated(bytesOf(requestOf(parameters))), 'SAMLRequest')
  return { xml, relayState: relayStateOf(parameters) }
}

/**
 * Reads a posted message. Some service providers deflate it, although the standard does not provide for that.
 * @throws SamlRequestError
 */
export const readPost = (form: string): BoundMessage => {
  const parameters = parametersOf(form)
  const bytes = bytesOf(requestOf(parameters).replace(/[ \t\r\n]/g, ''))
  const isText = /^(?:\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 200))
  if (isText && bytes.length > MESSAGE_LIMIT) throw new SamlRequestError('SAMLRequest is more than 64 KiB')
  const xml = textOf(isText ? bytes : inflated(bytes), 'SAMLRequest')
  return { xml, relayState: relayStateOf(parameters) }
}

/** A response as posted. It is read only when the page of the browser has sent it with its cookies. */
export interface PostedResponse {
  /** Base64 */
  readonly samlResponse: string
  readonly relayState: string | null
}

/** Characters of base64; fits the body of an API request that needs no credential. */
export const MAX_SAML_RESPONSE = 60_000

/** @throws SamlRequestError */
export const readPostedResponse = (form: string): PostedResponse => {
  const parameters = parametersOf(form)
  const samlResponse = parameters.get('SAMLResponse')?.replace(/[ \t\r\n]/g, '')
  if (samlResponse === undefined) throw new SamlRequestError('SAMLResponse is missing')
  if (samlResponse.length > MAX_SAML_RESPONSE)
    throw new SamlRequestError(`SAMLResponse is longer than ${String(MAX_SAML_RESPONSE)} characters`)
  if (!isBase64(samlResponse)) throw new SamlRequestError('SAMLResponse is not base64')
  return { samlResponse, relayState: relayStateOf(parameters) }
}
