/** The languages of pages and emails, and how one is chosen. */

export type Language = 'en' | 'de'

const fallback: Language = 'en'
const supported: readonly Language[] = ['en', 'de']

/** How dates and numbers of a language are written. */
export const formatLocale: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' }

/** Declares texts; German must have the same keys as English, with the same parameters. */
export const texts = <T extends object>(catalogue: {
  readonly en: T
  readonly de: NoInfer<T>
}): Readonly<Record<Language, T>> => catalogue

/** Returns the language of a BCP 47 tag by lookup (RFC 4647 §3.4): `de-AT` is `de`. Null if it is not supported. */
export const languageOf = (tag: string | null | undefined): Language | null => {
  const primary = /^([a-z]{2,8})(?:[-_]|$)/i.exec(tag ?? '')?.[1]?.toLowerCase()
  return supported.find((language) => language === primary) ?? null
}

/** Longer than what browsers send. The rest of a longer value is ignored, so that its work is bounded. */
const MAX_LENGTH = 1000

/** Returns the first supported language of tags in order of preference, such as `ui_locales` (OpenID Connect Core). */
export const languageOfList = (tags: string | undefined): Language | null =>
  (tags ?? '')
    .slice(0, MAX_LENGTH)
    .split(' ')
    .map(languageOf)
    .find((language) => language !== null) ?? null

interface Range {
  readonly range: string
  readonly quality: number
}

const rangeOf = (part: string): Range | null => {
  const [range = '', weight, ...more] = part.split(';').map((each) => each.trim().toLowerCase())
  if (!/^(?:\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)$/.test(range) || more.length > 0) return null
  const value = weight === undefined ? '1' : /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(weight)?.[1]
  return value === undefined ? null : { range, quality: Number(value) }
}

/**
 * Returns the language for an `Accept-Language` header (RFC 9110 §12.5.4): the supported one with the highest quality
 * value. English if there is none; invalid parts are ignored.
 */
export const languageOfHeader = (header: string | undefined): Language => {
  const value = header ?? ''
  const parts = value.slice(0, MAX_LENGTH).split(',')
  // The last part may be cut off.
  if (value.length > MAX_LENGTH) parts.pop()
  const ranges = parts.map(rangeOf).filter((range) => range !== null)
  const refused = new Set(ranges.filter(({ quality }) => quality === 0).map(({ range }) => range))
  const accepted = ranges.filter(({ quality }) => quality > 0).toSorted((a, b) => b.quality - a.quality)
  for (const { range } of accepted) {
    const language =
      range === '*' ? supported.find((each) => !refused.has(each)) : (languageOf(range) ?? undefined)
    if (language !== undefined) return language
  }
  return fallback
}
