import { expect } from 'chai'
import fc from 'fast-check'
import { readAddress, readSpan, writeSpan } from '../../domain/network-zone/address.ts'
import {
  emptyZone,
  MAX_ZONES,
  networkZoneDecider,
  networkZoneStream,
  type NetworkZoneCommand,
} from '../../domain/network-zone/decider.ts'
import type { NetworkZoneEvent, NetworkZoneFields } from '../../domain/network-zone/events.ts'
import { zoneMatcher } from '../../domain/network-zone/matcher.ts'
import { retentionOf } from '../../domain/retention.ts'
import { given } from '../support/domain/given.ts'
import { id } from '../support/fixed.ts'

const ipv4 = fc.ipV4()
const ipv6 = fc.ipV6()
const cidr = fc.oneof(
  fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })).map(([ip, bits]) => `${ip}/${String(bits)}`),
  fc.tuple(ipv6, fc.integer({ min: 0, max: 128 })).map(([ip, bits]) => `${ip}/${String(bits)}`),
)
const address = fc.oneof(ipv4, ipv6)

describe('Addresses of network zones', () => {
  const forms: readonly (readonly [written: string, stored: string | null])[] = [
    ['192.0.2.7', '192.0.2.7/32'],
    ['192.0.2.7/24', '192.0.2.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['10.1.2.3/9', '10.0.0.0/9'],
    ['::ffff:192.0.2.7', '192.0.2.7/32'],
    ['::FFFF:C000:0207/120', '192.0.2.0/24'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1/128'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
    ['1::', '1::/128'],
    ['192.0.2', null],
    ['192.0.2.256', null],
    ['192.0.2.07', null],
    ['192.0.2.1/33', null],
    ['192.0.2.1/', null],
    ['192.0.2.1/24/24', null],
    ['2001:db8::1::2', null],
    ['2001:db8:1:2:3:4:5:6:7', null],
    ['::ffff:192.0.2.7/32', null],
    ['fe80::1%eth0', null],
    [' 192.0.2.1', null],
    ['example.com', null],
    ['', null],
  ]
  for (const [written, stored] of forms)
    it(`SGN-07 ${JSON.stringify(written)} is ${stored ?? 'not a range'}`, () => {
      const span = readSpan(written)
      expect(span === null ? null : writeSpan(span)).to.equal(stored)
    })

  it('SGN-07 a range that was written is read as the same range', () => {
    fc.assert(
      fc.property(cidr, (text) => {
        const span = readSpan(text)
        if (span !== null) expect(readSpan(writeSpan(span))).to.deep.equal(span)
      }),
    )
  })

  it('SGN-07 parsers return null for anything else, and never throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f:./]{0,40}$/)), (text) => {
        for (const read of [readAddress, readSpan]) {
          const value = read(text)
          if (value !== null) expect(value.family).to.be.oneOf([4, 6])
        }
      }),
    )
  })
})

describe('The zones of a network', () => {
  const zone = (n: number, fields: Partial<NetworkZoneFields>) => ({
    ...emptyZone,
    ...fields,
    id: id('networkZone', n),
  })

  it('SGN-07 agree with a comparison of every range, in any order', () => {
    const zones = fc.array(fc.array(cidr, { maxLength: 20 }), { maxLength: 4 })
    fc.assert(
      fc.property(zones, address, fc.boolean(), (lists, ip, reversed) => {
        const all = lists.map((cidrs, n) => zone(n, { cidrs: reversed ? [...cidrs].reverse() : cidrs }))
        const value = readAddress(ip)
        const naive = all.filter(({ cidrs }) =>
          cidrs.some((text) => {
            const span = readSpan(text)
            return (
              span?.family === value?.family &&
              (span?.first ?? '') <= (value?.value ?? '') &&
              (value?.value ?? 'g') <= (span?.last ?? '')
            )
          }),
        )
        expect(zoneMatcher(all)({ ip, country: null, asn: null })).to.deep.equal(naive)
      }),
    )
  })

  it('SGN-07 are found by address, country and autonomous system', () => {
    const office = zone(1, { cidrs: ['192.0.2.0/24', '2001:db8::/32'] })
    const europe = zone(2, { type: 'geo', countries: ['DE', 'FR'] })
    const carrier = zone(3, { type: 'asn', asns: [3320] })
    const zonesOf = zoneMatcher([office, europe, carrier])
    const names = (ip: string | null, country: string | null = null, asn: number | null = null) =>
      zonesOf({ ip, country, asn }).map((each) => each.id)
    expect(names('192.0.2.200')).to.deep.equal([office.id])
    expect(names('::ffff:192.0.2.200')).to.deep.equal([office.id])
    expect(names('2001:db8:ffff::1')).to.deep.equal([office.id])
    expect(names('192.0.3.0')).to.deep.equal([])
    expect(names('192.0.2.1', 'DE', 3320)).to.deep.equal([office.id, europe.id, carrier.id])
    expect(names(null, 'FR')).to.deep.equal([europe.id])
    expect(names('not an address', 'US', 1)).to.deep.equal([])
  })
})

describe('A network zone', () => {
  const networkZoneId = id('networkZone')
  const fields: NetworkZoneFields = { ...emptyZone, name: 'Office', cidrs: ['192.0.2.0/24'] }
  const here = { ip: '192.0.2.17', country: 'DE', asn: null }
  const guard = { here, force: false }
  const created: NetworkZoneEvent = { type: 'network_zone.created', data: { networkZoneId, ...fields } }
  const updated = (field: string, from: unknown, to: unknown): NetworkZoneEvent => ({
    type: 'network_zone.updated',
    data: { networkZoneId, changes: [{ field, from, to }] },
  })
  const deleted: NetworkZoneEvent = { type: 'network_zone.deleted', data: { networkZoneId } }
  const create = (
    differences: Partial<NetworkZoneFields> = {},
    count = 0,
    force = false,
  ): NetworkZoneCommand => ({
    ...{ type: 'create', networkZoneId, fields: { ...fields, ...differences }, count },
    guard: { here, force },
  })
  const update = (differences: Partial<NetworkZoneFields>): NetworkZoneCommand => ({
    ...{ type: 'update', networkZoneId, fields: differences, guard },
  })
  const zone = (...past: readonly NetworkZoneEvent[]) => given(networkZoneDecider, ...past)

  it('SGN-07 is created, changed, and deleted if no policy names it', () => {
    expect(networkZoneStream(networkZoneId)).to.equal(`network_zone-${networkZoneId}`)
    expect(retentionOf('network_zone')).to.equal('permanent')
    zone().when(create()).then(created)
    zone(created).when(create()).refuses('ERR_CONFLICT')
    zone(created)
      .when(update({ name: 'Berlin' }))
      .then(updated('name', 'Office', 'Berlin'))
    zone(created)
      .when(update({ cidrs: ['192.0.2.99/24'] }))
      .changesNothing()
    zone(created).when({ type: 'delete', networkZoneId, usedBy: [] }).then(deleted)
    zone(created)
      .when({ type: 'delete', networkZoneId, usedBy: ['the policy Office only'] })
      .refuses('ERR_CONFLICT', /the policy Office only/)
    zone(created, deleted)
      .when(update({ name: 'Berlin' }))
      .refuses('ERR_NOT_FOUND')
    zone()
      .when(create({}, MAX_ZONES))
      .refuses('ERR_CONFLICT', /200 network zones/)
  })

  it('SGN-07 has only what its type describes, in one form', () => {
    zone()
      .when(create({ cidrs: ['192.0.2.7/24', '::ffff:192.0.2.1/120'] }))
      .then(created)
    zone()
      .when(create({ cidrs: [] }))
      .refuses('ERR_INVALID', /at least one item/, '/cidrs')
    zone()
      .when(create({ cidrs: ['192.0.2.0/24', 'x'] }))
      .refuses('ERR_INVALID', /IPv4 or IPv6/, '/cidrs/1')
    zone()
      .when(create({ countries: ['DE'] }))
      .refuses('ERR_INVALID', /zone of type ip/, '/countries')
    zone()
      .when(create({ type: 'geo' }))
      .refuses('ERR_INVALID', /zone of type geo/, '/cidrs')
    const geo = { type: 'geo', cidrs: [] } as const
    zone()
      .when(create({ ...geo, countries: ['DE', 'QQ'] }))
      .refuses('ERR_INVALID', /ISO 3166/, '/countries/1')
    zone()
      .when(create({ ...geo, countries: ['FR', 'DE', 'FR'] }))
      .then({
        type: 'network_zone.created',
        data: { networkZoneId, ...fields, ...geo, countries: ['DE', 'FR'] },
      })
    zone()
      .when(create({ blocked: true, trusted: true }))
      .refuses('ERR_INVALID', /trusted/, '/trusted')
  })

  it('SGN-07 does not block the request that saves it, unless forced', () => {
    zone()
      .when(create({ blocked: true }))
      .refuses('ERR_CONFLICT', /address that this request comes from/)
    zone(created)
      .when(update({ blocked: true }))
      .refuses('ERR_CONFLICT', /address that this request/)
    zone()
      .when(create({ blocked: true }, 0, true))
      .then({ type: 'network_zone.created', data: { networkZoneId, ...fields, blocked: true } })
    zone()
      .when(create({ blocked: true, cidrs: ['198.51.100.0/24'] }))
      .then({
        type: 'network_zone.created',
        data: { networkZoneId, ...fields, blocked: true, cidrs: ['198.51.100.0/24'] },
      })
  })
})
