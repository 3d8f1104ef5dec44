/** Gives a choice of time zones what the browser knows of them; the one that is chosen stays. */
export const fillTimeZones = (select: HTMLSelectElement): void => {
  const known = new Set([...select.options].map(({ value }) => value))
  const offered = Intl.supportedValuesOf('timeZone').filter((zone) => !known.has(zone))
  select.append(...offered.map((zone) => new Option(zone.replaceAll('_', ' '), zone)))
}
