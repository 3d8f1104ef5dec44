/** Text that every store preserves. */

/** U+0000, which Postgres rejects, and lone surrogates, which UTF-8 cannot represent. */
const UNSTORABLE = /\0|\p{Surrogate}/u

export const isStorable = (text: string): boolean => !UNSTORABLE.test(text)

/** Whether all text in a JSON value, including field names, is storable. */
export const isStorableValue = (value: unknown): boolean => {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorableValue(inner))
}
