import { expect } from 'chai'
import { request } from 'node:http'
import { testPlace, testService, type TestPlace, type TestService } from '../support/service/service.ts'

interface Answer {
  readonly status: number | undefined
  readonly location: string | undefined
  readonly cookie: string | undefined
}

describe('The service at another of its addresses', function () {
  this.timeout(60_000)
  let place: TestPlace
  let service: TestService
  const start = async (config: Parameters<typeof testPlace>[0]) => {
    place = await testPlace(config)
    service = await testService(place)
  }
  afterEach(async () => {
    await service.stop()
    await place.drop()
  })

  const ask = (path: string, headers: Record<string, string>, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(service.publicUrl)
      request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        response.resume()
        const { statusCode: status, headers: got } = response
        resolve({ status, location: got.location, cookie: got['set-cookie']?.[0] })
      })
        .once('error', reject)
        .end()
    })
  const portOf = () => new URL(service.publicUrl).port

  it('a page redirects to the same page at SVC_PUBLIC_URL, for GET requests only', async () => {
    await start({})
    const other = { Host: `127.0.0.1:${portOf()}` }
    for (const path of ['/', '/sign-in?authRequest=x', '/account', '/enroll/abc'])
      expect(await ask(path, other), path).to.include({ status: 307, location: service.publicUrl + path })
    for (const path of [
      '/healthz',
      '/api/v1/organization',
      '/.well-known/openid-configuration',
      '/saml/metadata',
    ])
      expect(await ask(path, other), path).to.include({ status: 200, location: undefined })
    expect((await ask('/oauth2/authorize', other)).status, 'a protocol endpoint').to.equal(400)
    expect((await ask('/sign-out', other, 'POST')).status, 'a form').not.to.equal(307)
    expect((await ask('/sign-in', { Host: `LOCALHOST:${portOf()}` })).status, 'the public address').to.equal(
      200,
    )
  })

  it('a proxy that rewrites Host causes no loop', async () => {
    await start({})
    const rewritten = { Host: '10.0.0.7:8080' }
    expect((await ask('/sign-in', { ...rewritten, 'X-Forwarded-For': '192.0.2.1' })).status).to.equal(200)
    const { status, cookie = '' } = await ask('/sign-in', rewritten)
    expect(status).to.equal(307)
    const again = await ask('/sign-in', { ...rewritten, Cookie: cookie.split(';')[0] ?? '' })
    expect(again.status, 'once').to.equal(200)
  })

  it('through a trusted proxy, only X-Forwarded-Host decides', async () => {
    await start({ trustedProxies: ['127.0.0.1/32', '::1/128'] })
    const { host } = new URL(service.publicUrl)
    const through = { Host: 'internal:8080', 'X-Forwarded-For': '192.0.2.1' }
    expect((await ask('/sign-in', through)).status).to.equal(200)
    expect((await ask('/sign-in', { ...through, 'X-Forwarded-Host': host })).status).to.equal(200)
    expect(await ask('/sign-in', { ...through, 'X-Forwarded-Host': 'other.example.com' })).to.include({
      status: 307,
      location: `${service.publicUrl}/sign-in`,
    })
  })
})
