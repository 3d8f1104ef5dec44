/** Requests as bytes, and variants with something hostile in one place at a time. */
import { deflateSync, gzipSync } from 'node:zlib'
import { headerNames, oddHeaders } from './headers.ts'
import { hostileTexts, hostileValues, prototypeNames } from '../support/hostile/hostile-text.ts'

export type Pairs = readonly (readonly [string, string])[]

export type Body =
  | { readonly kind: 'json'; readonly type?: string; readonly value: unknown }
  | { readonly kind: 'form'; readonly pairs: Pairs }
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Buffer }

/** A valid request. */
export interface Template {
  readonly method: string
  /** Decoded path segments */
  readonly segments: readonly string[]
  readonly query: Pairs
  readonly headers: Pairs
  readonly body?: Body
  /** The caller, for reports */
  readonly as: string
}

/** A request to send, and a short description of what is wrong with it. */
export interface Hostile {
  readonly what: string
  /** Made when it is sent, because most variants of a round are not. */
  readonly bytes: () => Buffer
  /** `cut`: the sender disconnects in the middle; `stalled`: nothing more arrives. */
  readonly end: 'whole' | 'cut' | 'stalled'
}

export interface Dice {
  /** Picks one of them. */
  readonly pick: <T>(choices: readonly T[]) => T
  /** Picks this many of them, without repetition. */
  readonly some: <T>(choices: readonly T[], count: number) => readonly T[]
}

export const diceFrom = (random: () => number): Dice => {
  const pick = <T>(choices: readonly T[]): T => {
    const choice = choices[Math.floor(random() * choices.length)]
    if (choices.length === 0) throw new Error('nothing to choose from')
    return choice as T
  }
  return {
    pick,
    some: (choices, count) => {
      const left = [...choices]
      return Array.from({ length: Math.min(count, left.length) }, () => {
        const [one] = left.splice(Math.floor(random() * left.length), 1)
        return one as (typeof choices)[number]
      })
    },
  }
}

/** Percent-encodes text; lone surrogates become the bytes that some programs write for them. */
const encoded = (text: string): string =>
  [...text]
    .map((char) => {
      const code = char.codePointAt(0) ?? 0
      if (code < 0xd800 || code > 0xdfff) return encodeURIComponent(char)
      return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
        .map((byte) => `%${byte.toString(16)}`)
        .join('')
    })
    .join('')

const pairsText = (pairs: Pairs): string =>
  pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')

const bodyOf = (body: Body | undefined): { readonly type: string; readonly bytes: Buffer } | undefined => {
  switch (body?.kind) {
    case undefined:
      return undefined
    case 'json':
      return { type: body.type ?? 'application/json', bytes: Buffer.from(JSON.stringify(body.value)) }
    case 'form':
      return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(pairsText(body.pairs)) }
    case 'bytes':
      return body
  }
}

interface Raw {
  readonly target?: string
  readonly bytes?: Buffer
  readonly headers?: Pairs
  /** Replaces the correct length; null omits it */
  readonly length?: string | null
}

/**
 * Serializes a request.
 * @param raw parts that are used unchanged
 */
const written = (template: Template, raw: Raw = {}): Buffer => {
  const query = pairsText(template.query)
  const target =
    raw.target ?? `/${template.segments.map(encoded).join('/')}${query === '' ? '' : `?${query}`}`
  const body = bodyOf(template.body)
  const bytes = raw.bytes ?? body?.bytes
  const names = new Set((raw.headers ?? []).map(([name]) => name.toLowerCase()))
  const length = raw.length === undefined ? (bytes === undefined ? null : String(bytes.length)) : raw.length
  const headers = [
    ['Host', 'localhost'],
    ['Connection', 'close'],
    ...template.headers,
    ...(body === undefined ? [] : [['Content-Type', body.type]]),
    ...(length === null ? [] : [['Content-Length', length]]),
  ].filter(([name = '']) => !names.has(name.toLowerCase()))
  const head = [
    `${template.method} ${target} HTTP/1.1`,
    ...[...headers, ...(raw.headers ?? [])].map(([name = '', value = '']) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'utf8'), bytes ?? Buffer.alloc(0)])
}

const whole = (what: string, template: Template, raw?: () => Raw): Hostile => ({
  what,
  bytes: () => written(template, raw?.()),
  end: 'whole',
})

const replaced = <T>(list: readonly T[], at: number, item: T): readonly T[] =>
  list.map((each, index) => (index === at ? item : each))

const nameOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value).slice(0, 100)

/** Returns a replacement function for every place in a JSON value. */
const placesIn = (value: unknown): readonly ((other: unknown) => unknown)[] => {
  const here = (other: unknown): unknown => other
  if (Array.isArray(value))
    return [
      here,
      ...value.flatMap((item: unknown, at) =>
        placesIn(item).map((put) => (other: unknown) => replaced(value as unknown[], at, put(other))),
      ),
    ]
  if (typeof value !== 'object' || value === null) return [here]
  const entries = Object.entries(value)
  return [
    here,
    ...entries.flatMap(([, item], at) => [
      ...placesIn(item).map(
        (put) => (other: unknown) =>
          Object.fromEntries(entries.map(([name, each], i) => [name, i === at ? put(other) : each])),
      ),
      // The name of the field instead of its value.
      (other: unknown) =>
        Object.fromEntries(entries.map(([name, each], i) => [i === at ? nameOf(other) : name, each])),
    ]),
    (other: unknown) => Object.fromEntries([...entries, [nameOf(other), other]]),
  ]
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, 60)

const inBody = (template: Template, dice: Dice, each: number): readonly Hostile[] => {
  const { body } = template
  if (body?.kind === 'json')
    return placesIn(body.value).flatMap((put, at) =>
      dice.some(hostileValues, each).map((value) =>
        whole(`body place ${String(at)} ${shown(value)}`, {
          ...template,
          body: { ...body, value: put(value) },
        }),
      ),
    )
  if (body?.kind === 'form')
    return body.pairs.flatMap(([name, value], at) =>
      dice.some(hostileTexts, each).flatMap((text) => [
        whole(`form ${name} ${shown(text)}`, {
          ...template,
          body: { ...body, pairs: replaced(body.pairs, at, [name, text]) },
        }),
        whole(`form ${name} twice ${shown(text)}`, {
          ...template,
          body: { ...body, pairs: [...body.pairs, [name, text]] },
        }),
        whole(`form name ${shown(text)}`, {
          ...template,
          body: { ...body, pairs: replaced(body.pairs, at, [text, value]) },
        }),
      ]),
    )
  return []
}

const inAddress = (template: Template, dice: Dice, each: number): readonly Hostile[] => {
  const own = template.segments.map((_, at) => at).filter((at) => at > 0)
  const path = `/${template.segments.map(encoded).join('/')}`
  return [
    ...own.flatMap((at) =>
      dice.some(hostileTexts, each).map((text) =>
        whole(`segment ${String(at)} ${shown(text)}`, {
          ...template,
          segments: replaced(template.segments, at, text),
        }),
      ),
    ),
    ...template.query.flatMap(([name], at) =>
      dice.some(hostileTexts, each).flatMap((text) => [
        whole(`query ${name} ${shown(text)}`, {
          ...template,
          query: replaced(template.query, at, [name, text]),
        }),
        whole(`query ${name} twice ${shown(text)}`, {
          ...template,
          query: [...template.query, [name, text]],
        }),
      ]),
    ),
    ...dice
      .some(hostileTexts, each)
      .map((text) =>
        whole(`query name ${shown(text)}`, { ...template, query: [...template.query, [text, text]] }),
      ),
    ...dice
      .some(
        [
          `${path}?${'a&'.repeat(4000)}`,
          `${path}?${'a[]=1&'.repeat(2000)}`,
          `${path}?%`,
          `${path}?a=%ff&%00=%00&=&&=a`,
          `${path}?__proto__[x]=1&constructor.prototype.x=1`,
          `${path}/`,
          `/${path}`,
          `${path}/..%2f..%2f`,
          `${path}%00`,
          `${path};a=b`,
          `http://evil.example${path}`,
          `${path}#fragment`,
          '*',
          `/${'a/'.repeat(4000)}`,
          `${path}${'%2e'.repeat(3000)}`,
          `${path}?${'\x80'.repeat(10)}`,
        ],
        each,
      )
      .map((target) => whole(`target ${target.slice(0, 80)}`, template, () => ({ target }))),
  ]
}

/** A header value cannot contain line breaks; everything else is sent as UTF-8. */
const inLine = (text: string): string => text.replaceAll(/[\r\n]/g, ' ')

/** A request with an ambiguous length may never end. */
const ofDoubtfulLength = (name: string): boolean => /^(?:transfer-encoding|content-length)$/i.test(name)

const withHeaders = (template: Template, headers: Pairs, what: string): Hostile => ({
  ...whole(what, template, () => ({ headers })),
  ...(headers.some(([name]) => ofDoubtfulLength(name)) ? { end: 'stalled' } : {}),
})

const inHeaders = (template: Template, dice: Dice, each: number): readonly Hostile[] => [
  ...dice
    .some(oddHeaders, 4 * each)
    .map(([name, value]) => withHeaders(template, [[name, value]], `header ${name}: ${value.slice(0, 60)}`)),
  ...dice.some(headerNames, 3 * each).map((name) => {
    const text = dice.pick(hostileTexts)
    return withHeaders(template, [[name, inLine(text)]], `header ${name}: ${shown(text)}`)
  }),
  ...dice.some(headerNames, each).map((name) =>
    withHeaders(
      template,
      [
        [name, 'a'],
        [name, 'b'],
      ],
      `header ${name} twice`,
    ),
  ),
  ...dice
    .some(hostileTexts, each)
    .map((text) => withHeaders(template, [[inLine(text), 'x']], `header name ${shown(text)}`)),
]

/** Wrong contents of a body. */
const envelopes = (template: Template, dice: Dice, each: number): readonly Hostile[] => {
  const body = bodyOf(template.body)
  if (body === undefined) return []
  const { bytes } = body
  const coded = (name: string, encode: (content: Buffer) => Buffer = (content) => content): Hostile =>
    whole(`coded ${name}`, template, () => ({
      headers: [['Content-Encoding', name]],
      bytes: encode(bytes),
    }))
  const chunked = (text: string): Hostile =>
    whole(`chunked ${JSON.stringify(text.slice(0, 30))}`, template, () => ({
      headers: [['Transfer-Encoding', 'chunked']],
      length: null,
      bytes: Buffer.from(text, 'latin1'),
    }))
  const inOne = bytes.toString('latin1')
  const half = bytes.subarray(0, bytes.length >> 1)
  const unknownCoding = dice.pick(prototypeNames)
  const all: readonly Hostile[] = [
    ...prototypeNames.map((name) => coded(name)),
    coded('gzip'),
    coded('gzip', (content) => gzipSync(content)),
    coded('gzip', (content) => gzipSync(content).subarray(0, -5)),
    coded('gzip', () => gzipSync(Buffer.alloc(20_000_000))),
    coded('deflate', (content) => deflateSync(content)),
    coded('br'),
    coded('gzip, br'),
    whole('no body', template, () => ({ bytes: Buffer.alloc(0) })),
    whole('invalid UTF-8', template, () => ({ bytes: Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]) })),
    whole('byte order mark', template, () => ({ bytes: Buffer.concat([Buffer.from('\ufeff'), bytes]) })),
    whole('UTF-16', template, () => ({ bytes: Buffer.from(inOne, 'utf16le') })),
    whole('half of it', template, () => ({ bytes: half })),
    whole('twice', template, () => ({ bytes: Buffer.concat([bytes, bytes]) })),
    whole('only NUL bytes', template, () => ({ bytes: Buffer.alloc(1000) })),
    whole('deep', template, () => ({ bytes: Buffer.from('['.repeat(50_000)) })),
    whole('many keys', template, () => ({ bytes: Buffer.from(`{${'"a":1,'.repeat(20_000)}"b":2}`) })),
    whole('many values', template, () => ({ bytes: Buffer.from(`{"a":[${'0,'.repeat(100_000)}0]}`) })),
    whole('many parameters', template, () => ({ bytes: Buffer.from('a&'.repeat(30_000)) })),
    whole('over 4 MiB', template, () => ({ bytes: Buffer.alloc(4_300_000, 'a') })),
    chunked(`${bytes.length.toString(16)}\r\n${inOne}\r\n0\r\n\r\n`),
    chunked(`${bytes.length.toString(16)};a=b\r\n${inOne}\r\n0\r\nTrailer: x\r\n\r\n`),
    { ...chunked('ffffffffffffffff\r\n'), end: 'stalled' },
    chunked('zz\r\n'),
    { ...whole('cut', template, () => ({ bytes: half, length: String(bytes.length) })), end: 'cut' },
    {
      ...whole('cut before the body', template, () => ({ bytes: Buffer.alloc(0), length: '9' })),
      end: 'cut',
    },
    {
      ...whole('stalled', template, () => ({ bytes: half, length: String(bytes.length + 1) })),
      end: 'stalled',
    },
    {
      ...whole('stalled, coded', template, () => ({
        bytes: half,
        length: '99999',
        headers: [['Content-Encoding', 'gzip']],
      })),
      end: 'stalled',
    },
    {
      ...whole('stalled, of an unknown coding', template, () => ({
        bytes: half,
        length: '99999',
        headers: [['Content-Encoding', unknownCoding]],
      })),
      end: 'stalled',
    },
  ]
  return dice.some(all, 4 * each)
}

const inMethod = (template: Template, dice: Dice, each: number): readonly Hostile[] =>
  dice
    .some(
      ['HEAD', 'OPTIONS', 'TRACE', 'PURGE', 'CONNECT', 'PROPFIND', 'constructor', 'get', 'QUERY', 'SEARCH'],
      each,
    )
    .map((method) => whole(`method ${method}`, { ...template, method }))

/**
 * The request itself, and variants of it.
 * @param each number of hostile variants for each place
 */
export const hostileVariants = (template: Template, dice: Dice, each: number): readonly Hostile[] => [
  whole('unchanged', template),
  ...inAddress(template, dice, each),
  ...inHeaders(template, dice, each),
  ...inBody(template, dice, each),
  ...envelopes(template, dice, each),
  ...inMethod(template, dice, each),
]
