/** Texts in English and German, each beside the page or part that shows them. */
import { createContext, useContext, type ReactNode } from 'react'

export type Language = 'en' | 'de'

type Texts = Readonly<Record<string, string | ((...values: never[]) => string)>>

/** The same keys; strings in place of literals, functions with the same parameters. */
type Plain<T extends Texts> = {
  readonly [K in keyof T]: T[K] extends (...values: infer V) => string ? (...values: V) => string : string
}

export interface Catalogue<T extends Texts> {
  readonly en: Plain<T>
  readonly de: Plain<T>
}

/** Declares texts; German must have the same keys as English, with the same parameters. */
export const texts = <T extends Texts>(catalogue: {
  readonly en: T & Plain<T>
  readonly de: Plain<T>
}): Catalogue<T> => catalogue

interface Reader {
  readonly language: Language
  /** BCP 47; numbers and times are written as this locale does */
  readonly locale: string
  /** IANA; undefined for that of the browser */
  readonly timeZone: string | undefined
  /** Made once: a list writes hundreds of times, and to make a format takes as long as to draw a row. */
  readonly exactTime: Intl.DateTimeFormat
  readonly timeAgo: Intl.RelativeTimeFormat
}

const languageOf = (locale: string): Language => (/^de\b/i.test(locale) ? 'de' : 'en')

/** @param preferred the user's own locale and time zone; null if they set none */
export const readerOf = (preferred: { locale: string | null; timeZone: string | null } | null): Reader => {
  const locale = preferred?.locale ?? navigator.language
  const timeZone = preferred?.timeZone ?? undefined
  return {
    language: languageOf(locale),
    locale,
    timeZone,
    exactTime: new Intl.DateTimeFormat(locale, {
      dateStyle: 'medium',
      timeStyle: 'medium',
      ...(timeZone === undefined ? {} : { timeZone }),
    }),
    timeAgo: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
  }
}

const Context = createContext<Reader>(readerOf(null))

export const ReaderProvider = ({
  reader,
  children,
}: {
  readonly reader: Reader
  readonly children: ReactNode
}) => <Context value={reader}>{children}</Context>

export const useReader = (): Reader => useContext(Context)

/** Returns the texts in the reader's language. */
export const useTexts = <T extends Texts>(catalogue: Catalogue<T>): Plain<T> =>
  catalogue[useReader().language]
