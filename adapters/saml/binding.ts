/**
 * SAML 2.0 Bindings §3.4 (HTTP-Redirect) and §3.5 (HTTP-POST): from parameters to the text of a message. Parameters are
 * taken exactly as they were sent, because RelayState has to go back so; SigAlg and Signature are not looked at.
 */
import { inflateRawSync } from 'node:zlib'
import { DEFLATE } from '../../domain/saml/names.ts'
import { SamlRequestError } from './request-error.ts'

export interface BoundMessage {
  /** The text of the message. */
  readonly xml: string
  /** Null when none was sent. */
  readonly relayState: string | null
}

/** Bytes of a message, once it is inflated. */
const MESSAGE_LIMIT = 64 * 1024
/** Bytes. The standard allows 80, which not everyone keeps to. */
const RELAY_STATE_LIMIT = 2048

const known = new Set(['SAMLRequest', 'RelayState', 'SAMLEncoding', 'SigAlg', 'Signature'])
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
  const bytes = Buffer.from(
    spaced.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
  return textOf(bytes, what)
}

/** @param query a query or a form, still encoded */
const parametersOf = (query: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    if (!known.has(name)) continue
    if (found.has(name)) throw new SamlRequestError(`${name} was sent twice`)
    found.set(name, equals === -1 ? '' : decoded(pair.slice(equals + 1), name))
  }
  return found
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

const bytesOf = (base64: string): Buffer => {
  if (base64 === '' || !BASE64.test(base64)) throw new SamlRequestError('SAMLRequest is not base64')
  return Buffer.from(base64, 'base64')
}

const inflated = (bytes: Buffer): Buffer => {
  try {
    return inflateRawSync(bytes, { maxOutputLength: MESSAGE_LIMIT })
  } catch {
    throw new SamlRequestError('SAMLRequest is not deflated, or more than 64 KiB when inflated')
  }
}

/** A form cannot carry back every text: browsers turn line ends into others, and leave nothing of U+0000. */
const relayStateOf = (parameters: ReadonlyMap<string, string>): string | null => {
  const relayState = parameters.get('RelayState') ?? null
  if (relayState === null) return null
  if (Buffer.byteLength(relayState) > RELAY_STATE_LIMIT)
    throw new SamlRequestError('RelayState is longer than 2048 bytes')
  if (/[\0\r\n]/.test(relayState)) throw new SamlRequestError('RelayState holds a line end or U+0000')
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

/** Some service providers deflate what they post as well, which the standard does not know. @throws SamlRequestError */
export const readPost = (form: string): BoundMessage => {
  const parameters = parametersOf(form)
  const bytes = bytesOf(requestOf(parameters).replace(/[ \t\r\n]/g, ''))
  const isText = /^(?:\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 200))
  if (isText && bytes.length > MESSAGE_LIMIT) throw new SamlRequestError('SAMLRequest is more than 64 KiB')
  const xml = textOf(isText ? bytes : inflated(bytes), 'SAMLRequest')
  return { xml, relayState: relayStateOf(parameters) }
}
