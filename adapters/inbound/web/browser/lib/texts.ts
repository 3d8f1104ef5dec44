/** The language of the document, which the server chose. */
export const isGerman = (): boolean => document.documentElement.lang.startsWith('de')

/** Declares texts; German must have the same keys as English. Returns those in the language of the document. */
export const texts =
  <T extends object>(catalogue: { readonly en: T; readonly de: NoInfer<T> }) =>
  (): T =>
    catalogue[isGerman() ? 'de' : 'en']
