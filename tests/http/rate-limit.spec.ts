import { expect } from 'chai'
import { defaultBuckets, tokenBuckets } from '../../adapters/http/rate-limit.ts'
import { errorOf, startApi } from './support.ts'

describe('rate limits', () => {
  it('too many requests are ERR_RATE_LIMITED until the bucket fills again, each caller for itself', async () => {
    let now = 0
    const api = await startApi({
      rateLimit: tokenBuckets({ api: { perMinute: 60, burst: 2, by: 'caller' } }, () => now),
    })
    const ask = (secret: string) =>
      api.send('GET', '/things', undefined, { cookie: '', authorization: `Bearer ${secret}` })
    try {
      const first = await ask('svk_user')
      expect(first.status).to.equal(200)
      expect(first.headers.get('ratelimit-policy')).to.equal('"api";q=2;w=2')
      expect(first.headers.get('ratelimit')).to.equal('"api";r=1;t=1')
      expect((await ask('svk_user')).status).to.equal(200)
      const refused = await ask('svk_user')
      expect(refused.headers.get('retry-after')).to.equal('1')
      expect(refused.headers.get('ratelimit')).to.equal('"api";r=0;t=2')
      expect(await errorOf(refused)).to.include({ status: 429, code: 'ERR_RATE_LIMITED' })
      expect((await api.send('GET', '/things')).status).to.equal(200)
      now = 1000
      expect((await ask('svk_user')).status).to.equal(200)
      expect((await ask('svk_user')).status).to.equal(429)
    } finally {
      await api.close()
    }
  })
  it('needs a general rule', () => {
    expect(() => tokenBuckets({}, () => 0)).to.throw('"api"')
    expect(() => tokenBuckets(defaultBuckets, () => 0)).not.to.throw()
  })
})
