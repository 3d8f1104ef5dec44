/** Conversions between moments and the value of `<input type="datetime-local">`, in the time zone of the browser. */

/** @param moment RFC 3339 */
export const inputOf = (moment: string): string => {
  const date = new Date(moment)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** @returns RFC 3339, in UTC */
export const momentOf = (input: string): string => new Date(input).toISOString()
