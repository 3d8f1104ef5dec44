/** Returns such as “Germany (DE)”, in the language of the reader. */
export const countryName = (code: string, locale: string): string => {
  const name = new Intl.DisplayNames([locale], { type: 'region', fallback: 'none' }).of(code)
  return name === undefined ? code : `${name} (${code})`
}
