/**
 * XML made of templates, in the form that exclusive canonicalization gives it (Canonical XML 1.0 §2.3): every value is
 * escaped for its place just as there, and what XML cannot hold is replaced. The templates themselves write elements
 * with both tags, attributes in order of name, and each namespace on the outermost element that uses it.
 */

const markup = Symbol('xml')

/** Markup that only this module makes. */
export interface Markup {
  readonly [markup]: string
}

type Value = Markup | string | null | readonly Markup[]

// A character that is dropped could turn one name into another, so it shows that there was one (XML 1.0 §2.2).
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

/** Tagged template: a value is text, or that of an attribute right behind `="`; null leaves nothing. */
export const xml = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup => ({
  [markup]: strings.map((text, index) => text + put(values[index] ?? null, text)).join(''),
})

/** An attribute with the space before it; nothing for null. */
export const attribute = (name: string, value: string | null): Markup | null =>
  value === null ? null : { [markup]: ` ${name}="${valueOf(value)}"` }

/** The canonical text, which is what is signed. */
export const canonicalXml = (value: Markup): string => value[markup]

const spelled: Readonly<Record<string, string>> = { '\u0085': '&#x85;', '\u2028': '&#x2028;' }

/**
 * The text as it is sent: the canonical one but for two characters, which are line ends in XML 1.1 (§2.11). Some parsers
 * turn them into line feeds in XML 1.0 too, unless they are written as references.
 */
export const sentXml = (value: Markup): string =>
  value[markup].replace(/[\u0085\u2028]/g, (char) => spelled[char] ?? '')
