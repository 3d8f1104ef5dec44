import { expect } from 'chai'
import { testService, type TestService } from '../support/service/service.ts'

describe('the running service', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())

  it('API-15 returns ok while the database responds', async () => {
    const response = await fetch(`${service.publicUrl}/healthz`)
    expect(response.status).to.equal(200)
    expect(await response.text()).to.equal('ok')
  })

  it('is ready once its read models have caught up with the log', async () => {
    await service.person()
    const response = await fetch(`${service.publicUrl}/readyz`)
    expect(await response.text()).to.equal('ready')
  })

  const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(service.publicUrl + path, { method, headers, redirect: 'manual' })
    const type = response.headers.get('content-type') ?? ''
    return [response.status, type.split(';')[0], response.headers.get('allow')]
  }

  it('rejects unknown paths in the format of their area', async () => {
    for (const [path, status, type] of [
      ['/nowhere', 404, 'text/html'],
      ['/sign-in/', 404, 'text/html'],
      ['/enroll/%zz', 404, 'text/html'],
      ['/assets/nowhere.js', 404, 'text/html'],
      ['/saml/nowhere', 404, 'text/html'],
      ['/oauth2/nowhere', 404, 'application/json'],
      ['/.well-known/nowhere', 404, 'application/json'],
      ['/api/v1/nowhere', 404, 'application/json'],
      ['/api/v7/users', 404, 'application/json'],
      ['/scim/v2/Nowhere', 401, 'application/scim+json'],
      ['/scim/v7/Users', 401, 'application/scim+json'],
      ['/healthz/nowhere', 404, 'text/plain'],
    ] as const)
      expect(await ask('GET', path, BROWSER), path).to.deep.equal([status, type, null])
    expect(await ask('GET', '/nowhere')).to.deep.equal([404, 'application/json', null])
  })

  it('rejects other methods with the list of allowed ones, and returns that list for OPTIONS', async () => {
    for (const [method, path, headers, answer] of [
      ['POST', '/sign-in', BROWSER, [405, 'text/html', 'GET, HEAD']],
      ['GET', '/sign-out', BROWSER, [405, 'text/html', 'POST']],
      ['DELETE', '/saml/sso', BROWSER, [405, 'text/html', 'GET, POST, HEAD']],
      ['POST', '/sign-in', {}, [405, 'application/json', 'GET, HEAD']],
      ['OPTIONS', '/sign-in', {}, [204, '', 'GET, HEAD']],
      ['GET', '/oauth2/token', {}, [405, 'application/json', 'POST, OPTIONS']],
      ['PUT', '/oauth2/authorize', {}, [405, 'application/json', 'GET, POST, HEAD']],
      ['OPTIONS', '/oauth2/introspect', {}, [204, '', 'POST']],
      ['POST', '/healthz', {}, [405, 'text/plain', 'GET, HEAD']],
      ['DELETE', '/api/v1/me', {}, [404, 'application/json', null]],
    ] as const)
      expect(await ask(method, path, headers), `${method} ${path}`).to.deep.equal(answer)
  })

  it('forbids caching and sniffing in each error response', async () => {
    for (const path of ['/nowhere', '/oauth2/nowhere', '/api/v1/nowhere', '/scim/v2/Nowhere', '/healthz/x'])
      for (const headers of [{}, BROWSER] as Record<string, string>[]) {
        const response = await fetch(service.publicUrl + path, { headers })
        expect(response.headers.get('cache-control'), path).to.equal('no-store')
        expect(response.headers.get('x-content-type-options'), path).to.equal('nosniff')
      }
  })
})
