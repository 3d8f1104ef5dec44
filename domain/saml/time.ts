/** xs:dateTime as SAML uses it (Core §1.3.3): UTC, parsed with any fraction, written with whole seconds. */

const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,12}))?(Z|[+-]\d\d:\d\d)$/

/** @returns null if it is not a valid time or has no time zone */
export const epochMillis = (text: string): number | null => {
  const [, seconds, fraction = '', zone] = DATE_TIME.exec(text) ?? []
  if (seconds === undefined || zone === undefined) return null
  const millis = Date.parse(`${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`)
  return Number.isNaN(millis) ? null : millis
}

/** Rounded down, so that the result is never in the future. */
export const samlTime = (millis: number): string =>
  `${new Date(Math.floor(millis / 1000) * 1000).toISOString().slice(0, 19)}Z`
