/**
 * IP addresses and ranges (CIDR: RFC 4632 §3.1, RFC 4291 §2.3) as comparable values. An IPv4-mapped IPv6 address is the
 * IPv4 address that it contains (RFC 4291 §2.5.5.2).
 */

/** `value`: 8 hexadecimal digits for IPv4, 32 for IPv6: text order is address order. */
export interface Address {
  readonly family: 4 | 6
  readonly value: string
}

/** All addresses from the first to the last one. */
export interface AddressSpan {
  readonly family: 4 | 6
  readonly first: string
  readonly last: string
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

const readIPv4 = (text: string): string | null => {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
    return null
  return parts.map((part) => hex(Number(part), 2)).join('')
}

const MAPPED = '00000000000000000000ffff'

const readGroups = (text: string): readonly string[] | null => {
  if (text === '') return []
  const groups = text.split(':')
  const last = groups.at(-1) ?? ''
  const embedded = last.includes('.') ? readIPv4(last) : null
  if (last.includes('.') && embedded === null) return null
  const written = embedded === null ? groups : groups.slice(0, -1)
  if (!written.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null
  const read = written.map((group) => group.toLowerCase().padStart(4, '0'))
  return embedded === null ? read : [...read, embedded.slice(0, 4), embedded.slice(4)]
}

const readIPv6 = (text: string): string | null => {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const [head, tail] = halves.map(readGroups)
  if (head === null || head === undefined || tail === null) return null
  if (tail === undefined) return head.length === 8 ? head.join('') : null
  const missing = 8 - head.length - tail.length
  return missing < 1 ? null : [...head, ...Array<string>(missing).fill('0000'), ...tail].join('')
}

/** Parses an address; null for anything else, also for one with a zone (`fe80::1%eth0`). */
export const readAddress = (text: string): Address | null => {
  const v4 = readIPv4(text)
  if (v4 !== null) return { family: 4, value: v4 }
  const v6 = text.includes(':') ? readIPv6(text) : null
  if (v6 === null) return null
  return v6.startsWith(MAPPED) ? { family: 4, value: v6.slice(MAPPED.length) } : { family: 6, value: v6 }
}

const masked = (value: string, bits: number, fill: 0 | 15): string =>
  [...value]
    .map((digit, at) => {
      const kept = Math.min(4, Math.max(0, bits - at * 4))
      const mask = (15 << (4 - kept)) & 15
      const number = parseInt(digit, 16)
      return ((number & mask) | (fill & ~mask & 15)).toString(16)
    })
    .join('')

/** Parses a range such as `10.0.0.0/8`, or a single address; null for anything else. */
export const readSpan = (text: string): AddressSpan | null => {
  const [written = '', prefix, ...rest] = text.split('/')
  const address = readAddress(written)
  if (address === null || rest.length > 0) return null
  if (prefix !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(prefix)) return null
  const { family, value } = address
  const isMapped = family === 4 && written.includes(':')
  const most = value.length * 4
  // The prefix of a mapped address counts from the beginning of the IPv6 address.
  const bits = prefix === undefined ? most : Number(prefix) - (isMapped ? 96 : 0)
  return bits < 0 || bits > most
    ? null
    : { family, first: masked(value, bits, 0), last: masked(value, bits, 15) }
}

const writeIPv4 = (value: string): string =>
  (value.match(/../g) ?? []).map((byte) => String(parseInt(byte, 16))).join('.')

/** The text form of RFC 5952 §4. */
const writeIPv6 = (value: string): string => {
  const groups = (value.match(/.{4}/g) ?? []).map((group) => group.replace(/^0{1,3}/, ''))
  const text = groups.join(':')
  const zeros = [...text.matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].map(([run]) => run)
  const longest = zeros.reduce((most, run) => (run.length > most.length ? run : most), '')
  return longest === '' ? text : text.replace(longest, ':').replace(/^:(?!:)|(?<!:):$/g, '::')
}

/** Writes a range in one form: lower case, with its prefix, and all bits after the prefix zero. */
export const writeSpan = ({ family, first, last }: AddressSpan): string => {
  const total = first.length * 4
  let bits = 0
  for (let at = 0; at < first.length; at++) {
    const differing = parseInt(first[at] ?? '0', 16) ^ parseInt(last[at] ?? '0', 16)
    if (differing !== 0) {
      bits = at * 4 + (Math.clz32(differing) - 28)
      break
    }
    bits = (at + 1) * 4
  }
  const address = family === 4 ? writeIPv4(first) : writeIPv6(first)
  return `${address}/${String(Math.min(bits, total))}`
}
