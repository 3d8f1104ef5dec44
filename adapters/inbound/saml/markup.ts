/**
 * XML from templates, written directly in the form of exclusive canonicalization (Canonical XML 1.0 §2.3). Every value
 * is escaped for its position as defined there, and characters that XML does not allow are replaced. The templates
 * must write elements with both tags, attributes ordered by name, and each namespace on the outermost element that
 * uses it.
 */

const markup = Symbol('xml')

/** Markup that only this module creates. */
export interface Markup {
  readonly [markup]: string
}

type Value = Markup | string | null | readonly Markup[]

// Illegal characters (XML 1.0 §2.2) are replaced instead of dropped, because dropping one could turn one name into
// another.
const ILLEGAL =
  // oxlint-disable-next-line no-control-regex -- these are the ones
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const inText: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' }

const inAttribute: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '"': '&quot;' },
  ...{ '\t': '&#x9;', '\n': '&#xA;', '\r': '&#xD;' },
}

const legal = (text: string): string => text.replace(ILLEGAL, '\ufffd')
const textOf = (text: string): string => legal(text).replace(/[&<>\r]/g, (char) => inText[char] ?? '')
const valueOf = (text: string): string =>
  legal(text).replace(/[&<"\t\n\r]/g, (char) => inAttribute[char] ?? '')

const put = (value: Value, before: string): string => {
  if (value === null) return ''
  if (typeof value === 'string') return before.endsWith('="') ? valueOf(value) : textOf(value)
  return markup in value ? value[markup] : value.map((each) => each[markup]).join('')
}

/** Tagged template: a value is text or, right after `="`, an attribute value; null produces nothing. */
export const xml = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup => ({
  [markup]: strings.map((text, index) => text + put(values[index] ?? null, text)).join(''),
})

/** Returns an attribute with the space before it; nothing for null. */
export const attribute = (name: string, value: string | null): Markup | null =>
  value === null ? null : { [markup]: ` ${name}="${valueOf(value)}"` }

/** Returns the canonical text, which is what gets signed. */
export const canonicalXml = (value: Markup): string => value[markup]

const spelled: Readonly<Record<string, string>> = { '\u0085': '&#x85;', '\u2028': '&#x2028;' }

/**
 * Returns the text to send: the canonical text with two characters as references. They are line breaks in XML 1.1
 * (§2.11), and some parsers convert them to line feeds in XML 1.0 too.
 */
export const sentXml = (value: Markup): string =>
  value[markup].replace(/[\u0085\u2028]/g, (char) => spelled[char] ?? '')
