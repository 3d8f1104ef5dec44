import type { Change } from '../changes.ts'

/** How a zone describes its networks. */
export type NetworkZoneType = 'ip' | 'geo' | 'asn'

export interface NetworkZoneFields {
  readonly name: string
  readonly type: NetworkZoneType
  /** For `ip`: ranges in one form (`10.0.0.0/8`) */
  readonly cidrs: readonly string[]
  /** For `geo`: ISO 3166-1 alpha-2 */
  readonly countries: readonly string[]
  /** For `asn`: numbers of autonomous systems */
  readonly asns: readonly number[]
  /** Whether its networks hide who uses them: Tor, public VPNs */
  readonly anonymizers: boolean
  /** Requests from it are refused before a sign-in */
  readonly blocked: boolean
  /** Known networks of the organization */
  readonly trusted: boolean
}

export type NetworkZoneEvent =
  | { type: 'network_zone.created'; data: NetworkZoneFields & { networkZoneId: string } }
  | { type: 'network_zone.updated'; data: { networkZoneId: string; changes: readonly Change[] } }
  | { type: 'network_zone.deleted'; data: { networkZoneId: string } }
