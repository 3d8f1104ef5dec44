/** Where countries are, roughly: enough to tell that nobody travelled between two of them in a given time. */

/** Centre (latitude, longitude) and the kilometres from it that enclose the whole territory of the code. */
type Circle = readonly [lat: number, lon: number, radiusKm: number]

/** The radii are generous: a circle that is too large misses a journey, one that is too small invents one. */
const circles: Readonly<Record<string, Circle>> = {
  ...{ AE: [24, 54, 350], AR: [-35, -65, 2400], AT: [47.6, 14.1, 400], AU: [-25, 134, 3300] },
  ...{ BD: [24, 90, 450], BE: [50.6, 4.6, 200], BG: [42.7, 25.3, 350], BR: [-10, -53, 3400] },
  ...{ BY: [53.5, 28, 450], CA: [60, -96, 3900], CH: [46.8, 8.2, 250], CL: [-33, -73, 4200] },
  ...{ CN: [35, 103, 3200], CO: [4, -73, 1500], CZ: [49.8, 15.5, 350], DE: [51.2, 10.4, 550] },
  ...{ DK: [56, 10, 450], DZ: [28, 2.6, 1500], EE: [58.7, 25.5, 300], EG: [26.5, 29.9, 850] },
  ...{ ES: [38, -6, 1750], FI: [64.5, 26, 750], FR: [46.6, 2.5, 900], GB: [54, -2.5, 850] },
  ...{ GH: [8, -1.2, 500], GR: [39, 23, 750], HK: [22.35, 114.15, 100], HR: [45.1, 16.4, 400] },
  ...{ HU: [47.2, 19.4, 350], ID: [-2.5, 118, 3000], IE: [53.2, -8, 350], IL: [31.4, 35, 300] },
  ...{ IN: [22, 80, 2500], IR: [32.5, 54, 1400], IS: [65, -18.6, 400], IT: [42.5, 12.5, 900] },
  ...{ JP: [36, 138, 2400], KE: [0.5, 37.9, 700], KR: [36.4, 127.9, 550], KZ: [48, 67, 1800] },
  ...{ LT: [55.3, 23.9, 300], LU: [49.8, 6.1, 80], LV: [56.9, 24.9, 350], MA: [29, -9, 1400] },
  ...{ MX: [23.6, -102.5, 2100], MY: [3.8, 109.7, 1300], NG: [9.1, 8.1, 1000], NL: [52.2, 5.3, 300] },
  ...{ NO: [66, 16, 1900], NZ: [-41, 173, 1700], PE: [-9.2, -75, 1400], PH: [12, 122.5, 1200] },
  ...{ PK: [30, 69.5, 1100], PL: [52.1, 19.4, 500], PT: [38, -15, 1600], RO: [45.9, 25, 500] },
  ...{ RS: [44, 20.8, 350], RU: [62, 96, 4800], SA: [24, 45, 1400], SE: [62.5, 16.5, 950] },
  ...{ SG: [1.35, 103.8, 80], SI: [46.1, 14.8, 250], SK: [48.7, 19.6, 350], TH: [15, 101, 1200] },
  ...{ TR: [39, 35.2, 1000], TW: [23.7, 121, 800], UA: [48.5, 31.2, 950], US: [45, -112, 5600] },
  ...{ VN: [16.3, 106.3, 1100], ZA: [-29, 25, 2400] },
}

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
const codesByName = new Map(Object.keys(circles).map((code) => [names.of(code), code]))

/**
 * Returns the country of a recorded location, `City, CC` or an English name: its code, or the name if the code is not
 * known here. Records of both forms are comparable, as an operator may change the database.
 */
export const countryOf = (location: string): string =>
  /, ([A-Z]{2})$/.exec(location)?.[1] ?? codesByName.get(location) ?? location

const EARTH_RADIUS_KM = 6371
const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** Returns the great-circle distance in kilometres. */
const distanceKm = ([lat1, lon1]: Circle, [lat2, lon2]: Circle): number => {
  const lat = Math.sin(radians(lat2 - lat1) / 2) ** 2
  const lon = Math.sin(radians(lon2 - lon1) / 2) ** 2
  const chord = lat + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * lon
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, chord)))
}

/** Returns the least distance in kilometres between any two places of two countries; 0 if a country is not known here. */
export const leastDistanceKm = (one: string, other: string): number => {
  const a = circles[one]
  const b = circles[other]
  if (one === other || a === undefined || b === undefined) return 0
  return Math.max(0, distanceKm(a, b) - a[2] - b[2])
}
