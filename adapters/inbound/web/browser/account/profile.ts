/** Fills the time zone field with the zones of the browser; keeps the current value. */
export const fillTimeZones = (select: HTMLSelectElement): void => {
  const known = new Set([...select.options].map(({ value }) => value))
  const offered = Intl.supportedValuesOf('timeZone').filter((zone) => !known.has(zone))
  select.append(...offered.map((zone) => new Option(zone.replaceAll('_', ' '), zone)))
}
