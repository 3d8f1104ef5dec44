import { expect } from 'chai'
import { networkOf } from '../../adapters/kernel/client-ip.ts'
import { apiRateLimit, tokenBuckets } from '../../adapters/inbound/http/rate-limit.ts'
import {
  defaultLimits,
  limitNames,
  noLimits,
  readLimits,
  type Limits,
} from '../../adapters/inbound/http/rate-limit-rules.ts'
import { errorOf, startApi } from './support.ts'

const strangers = { of: () => Promise.resolve(null), ofAnybody: () => Promise.resolve(null) }

const only = (limits: Partial<Limits>): Limits => ({ ...noLimits, ...limits })

describe('rate limits', () => {
  it('too many requests are ERR_RATE_LIMITED until the bucket fills again, separately for each caller', async () => {
    let now = 0
    const buckets = tokenBuckets(only({ api: { limit: 2, seconds: 2 } }), () => now)
    const api = await startApi({ rateLimit: apiRateLimit(buckets, (text) => text, strangers) })
    const ask = (secret: string) =>
      api.send('GET', '/things', undefined, { cookie: '', authorization: `Bearer ${secret}` })
    try {
      const first = await ask('svk_user')
      expect(first.status).to.equal(200)
      expect(first.headers.get('ratelimit-policy')).to.equal('"api";q=2;w=2')
      expect(first.headers.get('ratelimit')).to.equal('"api";r=1;t=1')
      const last = await ask('svk_user')
      expect(last.status).to.equal(200)
      expect(last.headers.get('retry-after')).to.equal(null)
      const refused = await ask('svk_user')
      expect(refused.headers.get('retry-after')).to.equal('1')
      expect(refused.headers.get('ratelimit')).to.equal('"api";r=0;t=2')
      expect(await errorOf(refused)).to.include({ status: 429, code: 'ERR_RATE_LIMITED' })
      expect((await api.send('GET', '/things')).status).to.equal(200)
      now = 1000
      expect((await ask('svk_user')).status).to.equal(200)
      expect((await ask('svk_user')).status).to.equal(429)
      // Invalid credentials are counted by network.
      expect((await ask('svk_wrong')).status).to.equal(401)
      expect((await ask('svk_wrong2')).status).to.equal(401)
      expect((await ask('svk_wrong3')).status).to.equal(429)
    } finally {
      await api.close()
    }
  })

  it('a bucket reports whether it is empty without counting, and never holds more than its limit', () => {
    let now = 0
    const { token } = tokenBuckets(only({ token: { limit: 2, seconds: 60 } }), () => now)
    expect(token.isEmpty('a')).to.equal(false)
    expect([token.take('a'), token.take('a'), token.take('a')]).to.deep.equal([true, true, false])
    expect(token.isEmpty('a')).to.equal(true)
    expect(token.headers('a')).to.deep.equal({
      'RateLimit-Policy': '"token";q=2;w=60',
      RateLimit: '"token";r=0;t=60',
      'Retry-After': '30',
    })
    expect(token.isEmpty('b')).to.equal(false)
    now = 29_999
    expect(token.isEmpty('a')).to.equal(true)
    now = 30_001
    expect(token.isEmpty('a')).to.equal(false)
    now = 3_600_000
    expect([token.take('a'), token.take('a'), token.take('a')]).to.deep.equal([true, true, false])
  })

  it('a disabled limit counts nothing and sends no headers', () => {
    const { token } = tokenBuckets(noLimits, () => 0)
    for (let n = 0; n < 1000; n++) expect(token.take('a')).to.equal(true)
    expect(token.headers('a')).to.deep.equal({})
  })

  it('addresses of one IPv6 network count as one', () => {
    expect(networkOf('192.0.2.7')).to.equal('192.0.2.7')
    const same = ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:db8::a:b:c:d']
    expect(new Set(same.map(networkOf))).to.deep.equal(new Set(['2001:db8:0:0::/64']))
    expect(networkOf('2001:db8:0:1::1')).to.equal('2001:db8:0:1::/64')
    expect(networkOf('::1')).to.equal('0:0:0:0::/64')
    expect(networkOf('1:2:3:4:5:6:7:8')).to.equal('1:2:3:4::/64')
    expect(networkOf('1:2:3::8')).to.equal('1:2:3:0::/64')
    expect(networkOf('1:2:3:4::')).to.equal('1:2:3:4::/64')
  })

  it('the setting lists the limits that differ', () => {
    expect(readLimits('off')).to.deep.equal(noLimits)
    expect(readLimits('sign-in=40/min, magic-link=5/15min,token=off,browser=9/h,api=1/10s')).to.deep.equal({
      ...defaultLimits,
      'sign-in': { limit: 40, seconds: 60 },
      'magic-link': { limit: 5, seconds: 900 },
      token: null,
      browser: { limit: 9, seconds: 3600 },
      api: { limit: 1, seconds: 10 },
    })
    for (const wrong of [
      '',
      'on',
      'sign-in',
      'sign-in=0/min',
      'sign-in=4',
      'other=4/min',
      'token=4/0min',
      'token=-4/min',
    ])
      expect(readLimits(wrong), wrong).to.equal(undefined)
    expect(limitNames).to.include('client-failure')
  })
})
