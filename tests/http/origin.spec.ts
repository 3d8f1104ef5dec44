import { expect } from 'chai'
import { trustedProxies } from '../../adapters/kernel/address-ranges.ts'
import { clientIp, normaliseAddress } from '../../adapters/kernel/client-ip.ts'
import { isCrossSite } from '../../adapters/inbound/http/same-origin.ts'
import { startApi, USER, type Api } from './support.ts'

const OWN = 'https://id.example.com'

describe('AUT-04 the same-origin rule', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  const sites = [undefined, 'same-origin', 'same-site', 'none', 'cross-site']
  const origins = [
    undefined,
    OWN,
    'null',
    'https://evil.example',
    `${OWN}:8443`,
    'http://id.example.com',
    `${OWN}.evil.example`,
  ]
  for (const site of sites)
    for (const origin of origins) {
      const refused = site === 'cross-site' || (origin !== undefined && origin !== OWN)
      it(`Sec-Fetch-Site ${site ?? 'absent'}, Origin ${origin ?? 'absent'}: ${refused ? 'rejected' : 'allowed'}`, () => {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
          expect(isCrossSite({ method, secFetchSite: site, origin }, OWN)).to.equal(refused)
        for (const method of ['GET', 'HEAD', 'OPTIONS'])
          expect(isCrossSite({ method, secFetchSite: site, origin }, OWN)).to.equal(false)
      })
    }

  it('applies to real requests', async () => {
    const poke = async (headers: Record<string, string>) =>
      (await api.send('POST', `/things/${USER}/poke`, undefined, headers)).status
    expect(await poke({})).to.equal(204)
    const browser = { origin: OWN, 'sec-fetch-site': 'same-origin' }
    expect(await poke({ ...browser, cookie: '__Host-svc_session=admin' })).to.equal(204)
    // Over https, a neighbouring site may have set a cookie with the plain name.
    expect(await poke(browser)).to.equal(401)
    expect(await poke({ origin: 'https://evil.example' })).to.equal(403)
    expect(await poke({ origin: 'null' })).to.equal(403)
    expect(await poke({ 'sec-fetch-site': 'cross-site' })).to.equal(403)
    expect(await poke({ origin: 'https://evil.example', authorization: 'Bearer svk_user' })).to.equal(403)
  })
})

describe('the client’s address', () => {
  const trusted = trustedProxies(['10.0.0.0/8', '::1', '2001:db8::/32', '192.0.2.1'])
  const cases: readonly [string, string | undefined, string | string[] | undefined, string][] = [
    [
      'an untrusted peer is the client, whatever its headers claim',
      '198.51.100.7',
      '203.0.113.9',
      '198.51.100.7',
    ],
    ['a trusted peer reports the client', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    [
      'the rightmost untrusted hop, never the leftmost',
      '10.0.0.1',
      '1.1.1.1, 203.0.113.9, 10.2.3.4',
      '203.0.113.9',
    ],
    ['all trusted: the furthest', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['nothing forwarded', '10.0.0.1', undefined, '10.0.0.1'],
    ['an invalid hop ends the search', '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['several headers', '10.0.0.1', ['1.1.1.1', '203.0.113.9'], '203.0.113.9'],
    ['v4-mapped v6 peers are v4', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['v6', '::1', '2001:DB8:0::1, 2001:4860::8888', '2001:4860::8888'],
    ['ports and brackets', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['ports and brackets, v6', '10.0.0.1', '[2a00::1]:443', '2a00::1'],
  ]
  for (const [title, peer, forwarded, expected] of cases)
    it(title, () => {
      expect(clientIp(peer, forwarded, trusted)).to.equal(expected)
    })

  it('has one canonical form', () => {
    expect(normaliseAddress('2001:0DB8:0:0::0001')).to.equal('2001:db8::1')
    expect(normaliseAddress('fe80::1%eth0')).to.equal('fe80::1')
    expect(normaliseAddress('::FFFF:0102:0304')).to.equal('1.2.3.4')
    for (const wrong of ['', '1.2.3', 'host', '1.2.3.4.5', 'a:b'])
      expect(normaliseAddress(wrong), wrong).to.equal(undefined)
  })
  it('an invalid range is named in the error', () => {
    for (const range of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'proxy', '::/129', '10.0.0.0/-1'])
      expect(() => trustedProxies([range])).to.throw(range)
  })
  it('reaches handlers', async () => {
    const api = await startApi({ isTrusted: trustedProxies(['127.0.0.1']) })
    try {
      const response = await api.send('GET', '/me/ping', undefined, {
        'x-forwarded-for': '1.1.1.1, 203.0.113.9',
      })
      expect(await response.json()).to.deep.equal({ kind: 'session', ip: '203.0.113.9' })
    } finally {
      await api.close()
    }
  })
})
