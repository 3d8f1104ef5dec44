/** Decides which addresses the service connects to when users configure them (OWASP: server-side request forgery). */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * This network, link-local (which includes metadata services), multicast, reserved and broadcast addresses, and other
 * metadata services.
 */
const neverV4 = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
]
const neverV6 = ['::/128', 'fe80::/10', 'ff00::/8', 'fd00:ec2::254/128', 'fd20:ce::254/128']

const hex = (octets: readonly number[]): string =>
  octets.map((octet) => octet.toString(16).padStart(2, '0')).join('')

const add = (list: BlockList, network: string): void => {
  const [address = '', prefix = ''] = network.split('/')
  const bits = Number(prefix)
  if (!isIPv4(address)) {
    list.addSubnet(address, bits, 'ipv6')
    return
  }
  list.addSubnet(address, bits, 'ipv4')
  // The same addresses as a translator (RFC 6052) or a 6to4 router (RFC 3056) maps them.
  const octets = address.split('.').map(Number)
  list.addSubnet(`64:ff9b::${hex(octets.slice(0, 2))}:${hex(octets.slice(2))}`, 96 + bits, 'ipv6')
  list.addSubnet(`2002:${hex(octets.slice(0, 2))}:${hex(octets.slice(2))}::`, 16 + bits, 'ipv6')
}

/**
 *
 * @param deny additional networks to reject, as `address/prefix`
 * @returns whether connecting to an address is allowed; false for invalid addresses
 */
export const addressRule = (deny: readonly string[]): ((address: string) => boolean) => {
  const refused = new BlockList()
  for (const network of [...neverV4, ...neverV6, ...deny]) add(refused, network)
  return (address) => {
    const [bare = ''] = address.split('%')
    if (isIPv4(bare)) return !refused.check(bare, 'ipv4')
    return isIPv6(bare) && !refused.check(bare, 'ipv6')
  }
}
