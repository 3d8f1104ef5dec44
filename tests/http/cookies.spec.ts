import { expect } from 'chai'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { ownCookie, readCookies, sessionSecretOf, setCookie } from '../../adapters/inbound/http/cookies.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { system, testPlace, testService } from '../support/service/service.ts'
import { softPasskey } from '../support/sign-in/soft-passkey.ts'

const HTTPS = 'https://id.example.com'
const HTTP = 'http://localhost:8080'

describe('cookies', () => {
  it('AUT-01 are bound to this host over https, and have their plain names on localhost', () => {
    const cookie = { name: 'svc_session', value: 'secret', end: { maxAge: 60 } }
    expect(setCookie(cookie, HTTPS)).to.equal(
      '__Host-svc_session=secret; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax',
    )
    expect(setCookie(cookie, HTTP)).to.equal('svc_session=secret; Max-Age=60; Path=/; HttpOnly; SameSite=Lax')
    const both = readCookies('svc_session=planted; __Host-svc_session=own')
    expect(ownCookie(both, 'svc_session', HTTPS)).to.equal('own')
    expect(ownCookie(readCookies('svc_session=planted'), 'svc_session', HTTPS)).to.equal(undefined)
  })

  it('AUT-01 are ignored if a name is sent with two values', () => {
    for (const header of ['a=1; a=2', 'a=1; b=3; a=2', 'a=; a=2', 'a=2; a=%32%33'])
      expect(ownCookie(readCookies(header), 'a', HTTP), header).to.equal(undefined)
    expect(ownCookie(readCookies('a=1; a=1'), 'a', HTTP)).to.equal('1')
  })

  it('can have any names and number', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']
    const cookies = readCookies(`${names.map((name) => `${name}=x`).join('; ')}; a=1`)
    expect(ownCookie(cookies, 'a', HTTP)).to.equal('1')
    expect(ownCookie(readCookies('b=1'), 'toString', HTTP)).to.equal(undefined)
    const many = Array.from({ length: 5000 }, (_, n) => `c${String(n)}=x`).join(';')
    expect(readCookies(many).size).to.equal(200)
  })

  it('AUT-01 the plain name of a session is accepted from programs over https, never from a browser', () => {
    const cookie = 'svc_session=secret'
    expect(sessionSecretOf({ cookie }, HTTPS)).to.equal('secret')
    expect(sessionSecretOf({ cookie, 'sec-fetch-site': 'same-origin' }, HTTPS)).to.equal(undefined)
    expect(sessionSecretOf({ cookie, origin: HTTPS }, HTTPS)).to.equal(undefined)
    expect(sessionSecretOf({ cookie, 'sec-fetch-site': 'same-origin' }, HTTP)).to.equal('secret')
    const two = 'svc_session=planted; svc_session=secret'
    for (const url of [HTTP, HTTPS]) expect(sessionSecretOf({ cookie: two }, url)).to.equal(undefined)
  })
})

describe('AUT-01 a session that a sibling subdomain planted', function () {
  this.timeout(60_000)

  it('opens neither the API nor a page nor an application', async () => {
    const place = await testPlace({ publicUrl: HTTPS })
    const service = await testService(place)
    try {
      const local = `http://127.0.0.1:${String(place.config.listen.port)}`
      const ask = (path: string, headers: Record<string, string>, init: Omit<RequestInit, 'headers'> = {}) =>
        fetch(local + path, { redirect: 'manual', ...init, headers })
      const post = async (path: string, body: unknown) => {
        const headers = { 'Content-Type': 'application/json', Origin: HTTPS }
        const answer = await ask(path, headers, { method: 'POST', body: JSON.stringify(body) })
        return { answer, body: (await answer.json()) as { ceremonyId: string; publicKey: never } }
      }
      const attacker = (await service.person()).cookie.replace('svc_session=', '')

      const { enrollUrl } = await userCommands(service.core.services).invite(
        { profile: { name: 'Ada', email: 'ada@example.com' }, source: 'local' },
        system,
      )
      const enrol = `/api/v1/auth/enroll/${enrollUrl.split('/').at(-1) ?? ''}/passkey`
      const begun = await post(`${enrol}/options`, {})
      const credential = softPasskey(HTTPS).create(begun.body.publicKey)
      const { answer } = await post(enrol, { ceremonyId: begun.body.ceremonyId, credential })
      expect(answer.status).to.equal(200)
      const set = answer.headers.getSetCookie()
      expect(
        set.map((line) => line.replace(/=[^;]*/, '').replace(/ (?:Expires|Max-Age)=[^;]*;/, '')),
      ).to.have.members([
        '__Host-svc_session; Path=/; HttpOnly; Secure; SameSite=Lax',
        '__Host-svc_device; Path=/; HttpOnly; Secure; SameSite=Lax',
      ])
      const own = set.map((line) => line.split(';', 1)[0]).join('; ')

      const browser = { 'Sec-Fetch-Site': 'same-origin' }
      const me = async (cookie: string) => {
        const response = await ask('/api/v1/me', { ...browser, Cookie: cookie })
        return response.status === 200
          ? ((await response.json()) as { email: string }).email
          : response.status
      }
      expect(await me(own)).to.equal('ada@example.com')
      expect(await me(`svc_session=${attacker}; ${own}`)).to.equal('ada@example.com')
      expect(await me(`svc_session=${attacker}`)).to.equal(401)
      const atOwnAddress = { Host: new URL(HTTPS).host, ...browser, Cookie: `svc_session=${attacker}` }
      const [page] = (await once(get(`${local}/account`, { headers: atOwnAddress }), 'response')) as [
        IncomingMessage,
      ]
      page.resume()
      expect(page.headers.location).to.contain('/sign-in')
      // A program names the cookie as the specification does.
      expect((await ask('/api/v1/me', { Cookie: `svc_session=${attacker}` })).status).to.equal(200)
    } finally {
      await service.stop()
      await place.drop()
    }
  })
})
