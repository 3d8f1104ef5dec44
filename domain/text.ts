/** Text that every store keeps as it is. */

/** U+0000, which Postgres takes in no text, and halves of surrogate pairs, which no UTF-8 holds. */
const UNSTORABLE = /\0|\p{Surrogate}/u

export const isStorable = (text: string): boolean => !UNSTORABLE.test(text)

/** Whether all text in a JSON value, names of fields among it, is storable. */
export const isStorableValue = (value: unknown): boolean => {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorableValue(inner))
}
