import { deflateRawSync } from 'node:zlib'
import { readPost, readRedirect } from '../../adapters/inbound/saml/binding.ts'
import { SamlRequestError } from '../../adapters/inbound/saml/request-error.ts'
import { readAuthnRequest } from '../../adapters/inbound/saml/request.ts'
import { perSecond, type Line } from './measure.ts'

const INPUTS = Number(process.env['BENCH_SAML_FUZZ'] ?? 1_000_000)

const valid =
  '<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ' +
  'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_a1" Version="2.0" ' +
  'IssueInstant="2026-01-02T03:04:05Z" AssertionConsumerServiceURL="https://app.example.com/acs">' +
  '<saml:Issuer>https://app.example.com</saml:Issuer><samlp:NameIDPolicy AllowCreate="true"/>' +
  '<saml:Subject><saml:NameID>ada@example.com</saml:NameID></saml:Subject></samlp:AuthnRequest>'

const pieces = [
  ...[
    '<',
    '>',
    '/',
    '"',
    "'",
    '=',
    '&',
    ';',
    '&#',
    '&#x0;',
    '&#xD800;',
    '&#x110000;',
    '&lt;',
    '&x;',
    '<!--',
    '-->',
  ],
  ...[
    '<![CDATA[',
    ']]>',
    '<?xml version="1.0"?>',
    '<?xml version="1.1"?>',
    '<?x y?>',
    '<!DOCTYPE a [',
    '<!ENTITY',
  ],
  ...['xmlns="x"', ' xmlns:saml=""', ' xml:base="x"', ' ID="_1"', ' __proto__="x"', ' xmlns:__proto__="x"'],
  ...['<samlp:AuthnRequest', '</samlp:AuthnRequest>', '<saml:Issuer>', '</saml:Issuer>', '<constructor/>'],
  ...['\0', '\ufeff', '\ufffe', '\ud800', '\u2028', '\u0085', '%', '%4', '%zz', '+', ' ', 'é', '😀'],
]

/** Returns pseudo-random numbers that depend only on the seed (mulberry32). */
const numbers =
  (seed: number) =>
  (below: number): number => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }

const mutated = (next: (below: number) => number): string => {
  let text = valid
  for (let changes = 1 + next(4); changes > 0; changes--) {
    const from = next(text.length + 1)
    const to = next(3) === 0 ? next(text.length + 1) : from
    const put =
      next(2) === 0 ? (pieces[next(pieces.length)] ?? '') : text.slice(next(text.length), next(text.length))
    text = text.slice(0, from) + put + text.slice(Math.max(from, to))
  }
  return text.slice(0, 20_000)
}

const ways: readonly ((text: string) => unknown)[] = [
  readAuthnRequest,
  (text) =>
    readAuthnRequest(readPost(`SAMLRequest=${encodeURIComponent(Buffer.from(text).toString('base64'))}`).xml),
  (text) =>
    readAuthnRequest(
      readRedirect(`SAMLRequest=${encodeURIComponent(deflateRawSync(text).toString('base64'))}`).xml,
    ),
  (text) => readRedirect(`SAMLRequest=${text}&RelayState=${text}`),
  (text) => readPost(text),
]

/**
 * Reads many requests that were tampered with.
 * @throws any error of the reader except its own type
 */
export const samlFuzz = (say: (line: Line) => void): void => {
  const seed = Date.now() | 0
  const next = numbers(seed)
  const started = performance.now()
  let taken = 0
  for (let n = 0; n < INPUTS; n++) {
    const text = mutated(next)
    try {
      ways[n % ways.length]?.(text)
      taken++
    } catch (error) {
      if (error instanceof SamlRequestError) continue
      console.error(`seed ${String(seed)}, input ${String(n)}: ${JSON.stringify(text)}`)
      throw error
    }
  }
  say({
    what: `SAML requests tampered with, seed ${String(seed)}`,
    value: perSecond(INPUTS / ((performance.now() - started) / 1000)),
    ratio: `${INPUTS.toLocaleString('en')} read, ${taken.toLocaleString('en')} of them accepted, the others rejected`,
  })
}
