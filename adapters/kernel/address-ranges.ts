/** Address ranges (CIDR, RFC 4632 §3.1 and RFC 4291 §2.3), as entered and in canonical form. */
import { BlockList, isIP } from 'node:net'
import { normaliseAddress, type IsTrusted } from './client-ip.ts'

export interface AddressRange {
  readonly address: string
  /** Length of the prefix in bits */
  readonly length: number
  readonly family: 'ipv4' | 'ipv6'
}

/** Parses an address, or a range such as `10.0.0.0/8`. Undefined for anything else. */
export const readRange = (text: string): AddressRange | undefined => {
  const [written = '', prefix, ...rest] = text.split('/')
  const address = normaliseAddress(written)
  if (address === undefined || rest.length > 0) return undefined
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  const bits = family === 'ipv4' ? 32 : 128
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined
  const length = prefix === undefined ? bits : Number(prefix)
  return length <= bits ? { address, length, family } : undefined
}

/** Whether an address in canonical form is in one of the ranges. */
export const inRanges = (ranges: readonly AddressRange[]): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const { address, length, family } of ranges) list.addSubnet(address, length, family)
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether an address in canonical form is a loopback address (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export const isLoopback = (address: string): boolean =>
  loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

const groupsOf = (address: string): readonly number[] => {
  const [before = '', after] = address.split('::')
  const read = (text: string | undefined): readonly number[] =>
    text === undefined || text === '' ? [] : text.split(':').map((group) => parseInt(group, 16))
  const [head, tail] = [read(before), read(after)]
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

/** Clears all bits after the prefix. @param bits per unit */
const masked = (units: readonly number[], bits: number, length: number): readonly number[] =>
  units.map((unit, index) => {
    const kept = Math.min(bits, Math.max(0, length - index * bits))
    return kept === 0 ? 0 : (unit >> (bits - kept)) << (bits - kept)
  })

/** Returns the canonical form of a range: `address/prefix`, with all bits after the prefix cleared. */
export const writeRange = ({ address, length, family }: AddressRange): string => {
  const first =
    family === 'ipv4'
      ? masked(address.split('.').map(Number), 8, length).join('.')
      : masked(groupsOf(address), 16, length)
          .map((group) => group.toString(16))
          .join(':')
  return `${normaliseIn(first, family)}/${String(length)}`
}

const normaliseIn = (address: string, family: AddressRange['family']): string =>
  family === 'ipv4' ? address : new URL(`http://[${address}]`).hostname.slice(1, -1)

/**
 * @param ranges addresses or ranges, v4 or v6
 * @throws Error naming the invalid range
 */
export const trustedProxies = (ranges: readonly string[]): IsTrusted => {
  const read = ranges.map((range) => {
    const known = readRange(range)
    if (known === undefined)
      throw new Error(`trusted proxies: expected an address or a range such as 10.0.0.0/8, found "${range}"`)
    return known
  })
  return ranges.length === 0 ? () => false : inRanges(read)
}

/**
 * Returns whether the operator of the service or its settings declare a peer as a proxy.
 * @param declared by the operator
 * @param current the settings, read for each request
 */
export const trustedPeers = (declared: readonly string[], current: () => readonly string[]): IsTrusted => {
  const always = trustedProxies(declared)
  let known: { readonly ranges: readonly string[]; readonly isTrusted: IsTrusted } | null = null
  return (address) => {
    if (always(address)) return true
    const ranges = current()
    if (known?.ranges !== ranges) known = { ranges, isTrusted: trustedProxies(ranges) }
    return known.isTrusted(address)
  }
}
