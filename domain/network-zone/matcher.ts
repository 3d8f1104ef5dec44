/** Finds the zones of an address. Ranges are merged and searched by halves, so a thousand cost ten comparisons. */
import { readAddress, readSpan, type AddressSpan } from './address.ts'
import type { NetworkZoneFields } from './events.ts'

/** A zone as far as matching needs it. */
export interface NetworkZone extends NetworkZoneFields {
  readonly id: string
}

/** Where a request comes from, as far as it is known. */
export interface Network {
  readonly ip: string | null
  /** ISO 3166-1 alpha-2 */
  readonly country: string | null
  readonly asn: number | null
}

/** Sorted spans that do not overlap. */
const merged = (spans: readonly AddressSpan[]): readonly AddressSpan[] => {
  const sorted = [...spans].sort((one, other) => (one.first < other.first ? -1 : 1))
  const result: AddressSpan[] = []
  for (const span of sorted) {
    const before = result.at(-1)
    if (before === undefined || span.first > before.last) result.push(span)
    else if (span.last > before.last) result[result.length - 1] = { ...before, last: span.last }
  }
  return result
}

const contains = (spans: readonly AddressSpan[], value: string): boolean => {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((spans[middle]?.first ?? '') <= value) low = middle + 1
    else high = middle
  }
  const candidate = spans[low - 1]
  return candidate !== undefined && value <= candidate.last
}

/** Compiles zones. Returns those that contain a network, in the given order. */
export const zoneMatcher = <Zone extends NetworkZone>(
  zones: readonly Zone[],
): ((network: Network) => readonly Zone[]) => {
  const compiled = zones.map((zone) => {
    const spans = zone.cidrs.map(readSpan).filter((span) => span !== null)
    return {
      zone,
      spans: {
        4: merged(spans.filter(({ family }) => family === 4)),
        6: merged(spans.filter(({ family }) => family === 6)),
      },
      countries: new Set(zone.countries),
      asns: new Set(zone.asns),
    }
  })
  return ({ ip, country, asn }) => {
    const address = ip === null ? null : readAddress(ip)
    return compiled
      .filter(
        ({ spans, countries, asns }) =>
          (address !== null && contains(spans[address.family], address.value)) ||
          (country !== null && countries.has(country)) ||
          (asn !== null && asns.has(asn)),
      )
      .map(({ zone }) => zone)
  }
}
