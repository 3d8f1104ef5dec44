const markup = Symbol('markup')

/** Markup that only {@link html} creates: every value in it was escaped for its position. */
export interface Html {
  readonly [markup]: string
}

/** Attributes for a tag: `true` writes an attribute without a value; `false`, `null` and `undefined` omit it. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>

export type Value = Html | Attributes | string | number | false | null | undefined | readonly Value[]

type Place = { in: 'text' } | { in: 'tag' } | { in: 'value'; name: string; quote: string }

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const urlAttributes = new Set(['href', 'src', 'action', 'formaction', 'poster', 'cite', 'data', 'ping'])
const forbiddenAttribute = /^(on.*|style|srcdoc|srcset|http-equiv)$/
const rawElement = /<(script|style|iframe|noembed|noframes|xmp|plaintext)\b[^>]*>(?!\s*<\/\1\s*>)|<!--/i
const places = new WeakMap<TemplateStringsArray, readonly Place[]>()

export const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? '')

/**
 * Returns the URL if it is relative, http(s) or an email address, otherwise `#`, so that links never contain `javascript:` or `data:`.
 */
export const safeUrl = (url: string): string => {
  const base = 'http://relative.invalid'
  if (!URL.canParse(url, base)) return '#'
  return /^(?:https?|mailto):$/.test(new URL(url, base).protocol) ? url : '#'
}

const isHtml = (value: unknown): value is Html =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, markup)

const attributeValue = (name: string, value: string): string => {
  if (forbiddenAttribute.test(name)) throw new TypeError(`html: attribute ${name} takes no value`)
  return escape(urlAttributes.has(name) ? safeUrl(value) : value)
}

const attributes = (values: Attributes): string =>
  Object.entries(values)
    .filter(([, value]) => value !== false && value !== null && value !== undefined)
    .map(([name, value]) => {
      if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new TypeError(`html: bad attribute name ${name}`)
      const text = attributeValue(name, String(value))
      return value === true ? name : `${name}="${text}"`
    })
    .join(' ')

const step = (place: Place, rest: string): { place: Place; taken: number } => {
  if (place.in === 'text') {
    const open = /<[a-z/!]/i.exec(rest)
    return open ? { place: { in: 'tag' }, taken: open.index + 1 } : { place, taken: rest.length }
  }
  if (place.in === 'value') {
    const close = rest.indexOf(place.quote)
    return close < 0 ? { place, taken: rest.length } : { place: { in: 'tag' }, taken: close + 1 }
  }
  const next = /([^\s"'<>=]*)\s*=\s*(["'])|>/.exec(rest)
  if (!next) return { place, taken: rest.length }
  const taken = next.index + next[0].length
  if (next[0] === '>') return { place: { in: 'text' }, taken }
  return { place: { in: 'value', name: (next[1] ?? '').toLowerCase(), quote: next[2] ?? '"' }, taken }
}

const placesOf = (strings: TemplateStringsArray): readonly Place[] => {
  const known = places.get(strings)
  if (known) return known
  if (rawElement.test(strings.join('\0')))
    throw new TypeError('html: no comments and no inline scripts or styles')
  let place: Place = { in: 'text' }
  const slots = strings.map((text) => {
    if (place.in === 'tag' && /^[\w=-]/.test(text))
      throw new TypeError('html: a value directly follows the name of its tag')
    for (let at = 0; at < text.length;) {
      const next = step(place, text.slice(at))
      place = next.place
      at += next.taken
    }
    if (place.in === 'tag' && /[^\s]$/.test(text)) throw new TypeError('html: quote attribute values')
    return place
  })
  if (slots.at(-1)?.in !== 'text') throw new TypeError('html: a template ends outside of tags')
  places.set(strings, slots)
  return slots
}

const put = (value: Value, place: Place): string => {
  if (value === false || value === null || value === undefined) return ''
  if (place.in === 'tag') {
    if (typeof value === 'object' && !isHtml(value) && !Array.isArray(value))
      return attributes(value as Attributes)
    throw new TypeError('html: a tag takes an object of attributes')
  }
  if (place.in === 'value') {
    if (typeof value === 'object') throw new TypeError(`html: attribute ${place.name} takes text`)
    return attributeValue(place.name, String(value))
  }
  if (isHtml(value)) return value[markup]
  if (Array.isArray(value)) return value.map((item: Value) => put(item, place)).join('')
  if (typeof value === 'object') throw new TypeError('html: attributes are only allowed inside a tag')
  return escape(String(value))
}

/**
 * Tagged template that escapes every value for its position: text, a quoted attribute, or (as an object) the
 * attributes of a tag. Throws a TypeError on templates that it cannot keep safe: unquoted attributes, inline
 * scripts, comments, event handlers.
 */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Html => {
  const slots = placesOf(strings)
  const body = strings.map((text, index) =>
    index < values.length ? text + put(values[index], slots[index] ?? { in: 'text' }) : text,
  )
  return { [markup]: body.join('') }
}

/** Returns the text of markup. */
export const render = (value: Html): string => value[markup]
