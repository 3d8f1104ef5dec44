/**
 * The client address of a request. Each proxy appends its peer to `X-Forwarded-For`, so the list is read from the
 * right, as long as hops are trusted. Everything further left may be forged by the client.
 */
import { isIP } from 'node:net'

/** Whether an address belongs to one of our proxies. */
export type IsTrusted = (address: string) => boolean

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/** Returns an address in canonical form: no zone, no port, v4-mapped v6 as v4. Undefined for anything else. */
export const normaliseAddress = (written: string): string | undefined => {
  const bare = written
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/%.*$/, '')
  const address = isIP(bare) === 0 ? bare.replace(/:\d+$/, '') : bare
  if (isIP(address) === 4) return address
  if (isIP(address) !== 6) return undefined
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = MAPPED.exec(canonical)
  if (mapped === null) return canonical
  const [high, low] = [parseInt(mapped[1] ?? '', 16), parseInt(mapped[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Returns the rightmost hop that is not one of our proxies; the leftmost hop if all are. */
export const clientIp = (
  peer: string | undefined,
  forwardedFor: string | readonly string[] | undefined,
  isTrusted: IsTrusted,
): string => {
  let address = normaliseAddress(peer ?? '') ?? '0.0.0.0'
  const hops = [forwardedFor ?? []].flat().join(',').split(',')
  while (isTrusted(address)) {
    const hop = normaliseAddress(hops.pop() ?? '')
    if (hop === undefined) break
    address = hop
  }
  return address
}

const leadingGroups = (ip: string, count: number): string => {
  const [before = '', after] = ip.split('::')
  const groupsOf = (text: string | undefined): readonly string[] =>
    text === undefined || text === '' ? [] : text.split(':')
  const [head, tail] = [groupsOf(before), groupsOf(after)]
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0')
  return [...head, ...zeros, ...tail].slice(0, count).join(':')
}

/**
 * Returns the network of an address: the address itself, or for IPv6 the /64, which one household typically has.
 * @param ip in canonical form, as `clientIp` returns it
 */
export const networkOf = (ip: string): string => (ip.includes(':') ? `${leadingGroups(ip, 4)}::/64` : ip)

/**
 * Returns the site of an address: the address itself, or for IPv6 the /48, which one customer may have, with 65,536
 * networks.
 */
export const siteOf = (ip: string): string => (ip.includes(':') ? `${leadingGroups(ip, 3)}::/48` : ip)
