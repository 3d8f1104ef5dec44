/** Locates addresses with a MaxMind DB file: the built-in one, or the operator's. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { Reader, type Response } from 'mmdb-lib'

/** Returns `City, CC`, or only the English country name; null if unknown, or not on a public network. */
export type Locate = (ip: string) => string | null

/** Where an address is, as far as the databases know. */
export interface Whereabouts {
  /** ISO 3166-1 alpha-2 */
  readonly country: string | null
  /** The autonomous system that announces it */
  readonly asn: number | null
}

/** The location of addresses, for readers and for rules. */
export interface Geoip {
  readonly locate: Locate
  readonly whereabouts: (ip: string) => Whereabouts
}

/** The environment variables that name files */
type Setting = 'SVC_GEOIP_DATABASE' | 'SVC_ASN_DATABASE'

/** The configured file cannot be used. */
export class GeoipFileError extends Error {
  constructor(setting: Setting, file: string, reason: string) {
    super(`${setting}: ${file} ${reason}`)
    this.name = 'GeoipFileError'
  }
}

/** Countries from the regional internet registries; licence CC0. */
const OWN = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

/** Special-purpose networks without a location (RFC 6890) */
const nowhere = new BlockList()
for (const network of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/3'],
]) {
  const [address = '', bits] = network.split('/')
  nowhere.addSubnet(address, Number(bits), 'ipv4')
}
/** Global unicast addresses; no other IPv6 address has a location. */
const globalV6 = new BlockList()
globalV6.addSubnet('2000::', 3, 'ipv6')
const documentationV6 = new BlockList()
documentationV6.addSubnet('2001:db8::', 32, 'ipv6')

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** Returns the address to look up; null if it has no location. */
const publicAddress = (ip: string): string | null => {
  const bare = ip.split('%')[0] ?? ''
  const address = MAPPED.exec(bare)?.[1] ?? bare
  if (isIPv4(address)) return nowhere.check(address, 'ipv4') ? null : address
  if (!isIPv6(address)) return null
  return globalV6.check(address, 'ipv6') && !documentationV6.check(address, 'ipv6') ? address : null
}

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
const english = (value: unknown): string | undefined =>
  isRecord(value) && isRecord(value['names']) ? text(value['names']['en']) : text(value)

const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** Files use different field names: those of MaxMind (`country.iso_code`) or flat ones (`country_code`). */
const countryCodeIn = (record: Json): string | null => {
  const { country } = record
  const code = text(isRecord(country) ? country['iso_code'] : record['country_code'])?.toUpperCase()
  return code !== undefined && /^[A-Z]{2}$/.test(code) && code !== 'ZZ' ? code : null
}

const placeIn = (record: Json): string | null => {
  const code = countryCodeIn(record)
  const city = english(record['city'])
  if (city !== undefined && code !== null) return `${city}, ${code}`
  return (code === null ? undefined : countryNames.of(code)) ?? english(record['country']) ?? null
}

const whereaboutsIn = (record: Json): Whereabouts => {
  const asn = Number(record['autonomous_system_number'] ?? record['asn'])
  return { country: countryCodeIn(record), asn: Number.isSafeInteger(asn) && asn > 0 ? asn : null }
}

const unknown: Whereabouts = { country: null, asn: null }

const geoipIn = (reader: Reader<Response>): Geoip => {
  const recordOf = (ip: string): Json | null => {
    const address = publicAddress(ip)
    if (address === null || (reader.metadata.ipVersion === 4 && !isIPv4(address))) return null
    const record: unknown = reader.get(address)
    return isRecord(record) ? record : null
  }
  const about = <T>(ip: string, read: (record: Json) => T, otherwise: T): T => {
    const record = recordOf(ip)
    return record === null ? otherwise : read(record)
  }
  return {
    locate: (ip) => about(ip, placeIn, null),
    whereabouts: (ip) => about(ip, whereaboutsIn, unknown),
  }
}

/** @throws Error if the bytes are not a complete database */
const open = (bytes: Buffer): Reader<Response> => {
  const reader = new Reader<Response>(bytes)
  const { databaseType, nodeCount, searchTreeSize } = reader.metadata
  if (typeof databaseType !== 'string' || !(nodeCount > 0) || searchTreeSize >= bytes.length)
    throw new Error('no database')
  for (const address of ['8.8.8.8', '193.0.0.1', '1.1.1.1']) reader.get(address)
  return reader
}

let own: Geoip | undefined

/** Read at first use, once per process. */
const readOwn = (): Geoip =>
  (own ??= geoipIn(open(readFileSync(createRequire(import.meta.url).resolve(OWN)))))

const ownGeoip: Geoip = {
  locate: (ip) => (publicAddress(ip) === null ? null : readOwn().locate(ip)),
  whereabouts: (ip) => (publicAddress(ip) === null ? unknown : readOwn().whereabouts(ip)),
}

/** Knows no address. */
export const noGeoip: Geoip = { locate: () => null, whereabouts: () => unknown }

/** @throws GeoipFileError if the file cannot be read or is not such a database */
const openFile = async (setting: Setting, file: string): Promise<Geoip> => {
  const bytes = await readFile(file).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException
    throw new GeoipFileError(setting, file, `cannot be read (${code ?? message})`)
  })
  try {
    const opened = geoipIn(open(bytes))
    // A damaged section is detected only by a lookup, and must not block sign-ins.
    const guarded =
      <T>(look: (ip: string) => T, otherwise: T) =>
      (ip: string): T => {
        try {
          return look(ip)
        } catch {
          return otherwise
        }
      }
    return { locate: guarded(opened.locate, null), whereabouts: guarded(opened.whereabouts, unknown) }
  } catch {
    throw new GeoipFileError(setting, file, 'is not a MaxMind DB file (.mmdb)')
  }
}

/**
 * Opens the databases to locate addresses by.
 * @param file any country or city database (.mmdb); default: the built-in one
 * @param asnFile a database of autonomous systems; default: those in `file`, if it has any
 * @throws GeoipFileError if a file cannot be read or is not such a database
 */
export const openGeoip = async (file: string | undefined, asnFile?: string): Promise<Geoip> => {
  const located = file === undefined ? ownGeoip : await openFile('SVC_GEOIP_DATABASE', file)
  if (asnFile === undefined) return located
  const { whereabouts } = await openFile('SVC_ASN_DATABASE', asnFile)
  return {
    locate: located.locate,
    whereabouts: (ip) => ({ country: located.whereabouts(ip).country, asn: whereabouts(ip).asn }),
  }
}
