import { expect } from 'chai'
import { MAX_LOGO_BYTES } from '../../domain/logo.ts'
import { payroll } from './api/support.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex')
const WEBP = Buffer.from('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ', 'latin1')
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><script>alert(1)</script><circle r="4"/></svg>'
const UNKNOWN = 'app_01ARZ3NDEKTSV4RRFFQ69G5FAV'
const ELSEWHERE = 'https://payroll.example.com/logo.png'

describe('API-11 the logo of an application', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  before(async () => {
    service = await testService()
    admin = await service.person({}, ['app_admin'])
  })
  after(() => service.stop())

  let n = 0
  const application = async (more: object = {}): Promise<string> => {
    const body = payroll(`App ${String(++n)}`, more)
    const answer = await service.api('POST', '/applications', { as: admin, body })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body.id
  }
  const put = async (
    id: string,
    type: string,
    bytes: Buffer | string,
    { as = admin, headers = {} }: { as?: TestPerson; headers?: Readonly<Record<string, string>> } = {},
  ) => {
    const response = await fetch(`${service.publicUrl}/api/v1/applications/${id}/logo`, {
      method: 'PUT',
      headers: { Cookie: as.cookie, Origin: service.publicUrl, 'Content-Type': type, ...headers },
      body: typeof bytes === 'string' ? bytes : new Uint8Array(bytes),
    })
    return { status: response.status, body: await response.json() }
  }
  const remove = (id: string, as = admin) => service.api('DELETE', `/applications/${id}/logo`, { as })
  const image = (id: string) => fetch(`${service.publicUrl}/api/v1/applications/${id}/logo`)
  const record = async (id: string) => (await service.api('GET', `/applications/${id}`, { as: admin })).body

  it('API-11 is shown to anyone at an address that changes with it, and is in the record beside the other address', async () => {
    const id = await application({ logoUrl: ELSEWHERE })
    expect(await record(id)).to.include({ logoUrl: ELSEWHERE, uploadedLogoUrl: null })
    const saved = await put(id, 'image/png', PNG)
    expect(saved.status, JSON.stringify(saved.body)).to.equal(200)
    expect(await record(id)).to.include({ logoUrl: ELSEWHERE, uploadedLogoUrl: saved.body.logoUrl })
    const list = (await service.api('GET', '/applications', { as: admin })).body
    expect(list.find((each: { id: string }) => each.id === id)).to.include({
      uploadedLogoUrl: saved.body.logoUrl,
    })
    const shown = await fetch(saved.body.logoUrl)
    expect(Buffer.from(await shown.arrayBuffer())).to.deep.equal(PNG)
    expect(Object.fromEntries(shown.headers)).to.deep.include({
      ...{ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' },
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
    })

    const replaced = await put(id, 'image/svg+xml', SVG)
    expect(replaced.body.logoUrl).not.to.equal(saved.body.logoUrl)
    const old = await fetch(saved.body.logoUrl)
    expect(old.headers.get('cache-control')).to.equal('public, max-age=300')
    expect(await old.text(), 'an old address shows the new logo, made safe')
      .to.contain('<circle')
      .and.not.contain('script')

    expect((await remove(id)).status).to.equal(204)
    expect((await remove(id)).status, 'again').to.equal(204)
    expect(await record(id)).to.include({ logoUrl: ELSEWHERE, uploadedLogoUrl: null })
    expect((await fetch(replaced.body.logoUrl)).status).to.equal(404)
  })

  it('API-11 each of several applications has its own, also after another was shown', async () => {
    const files = [
      ['image/png', PNG],
      ['image/jpeg', JPEG],
      ['image/webp', WEBP],
    ] as const
    const ids: string[] = []
    for (const [type, bytes] of files) {
      const id = await application()
      expect((await put(id, type, bytes)).status, type).to.equal(200)
      ids.push(id)
    }
    for (const round of [1, 2])
      for (const [index, [type, bytes]] of files.entries()) {
        const shown = await image(ids[index] ?? '')
        expect(shown.headers.get('content-type'), String(round)).to.equal(type)
        expect(Buffer.from(await shown.arrayBuffer())).to.deep.equal(bytes)
      }
  })

  it('API-11 more and larger logos than stay in memory are shown', async () => {
    const large = (fill: number) => Buffer.concat([PNG, Buffer.alloc(MAX_LOGO_BYTES - PNG.length, fill)])
    const ids: string[] = []
    for (let fill = 0; fill < 34; fill++) {
      const id = await application()
      expect((await put(id, 'image/png', large(fill))).status).to.equal(200)
      await (await image(id)).arrayBuffer()
      ids.push(id)
    }
    for (const [fill, id] of ids.entries())
      expect(Buffer.from(await (await image(id)).arrayBuffer()).equals(large(fill)), id).to.equal(true)
  })

  it('API-11 has at most 256 KB, and is what its media type says', async () => {
    const id = await application()
    const large = Buffer.concat([PNG, Buffer.alloc(MAX_LOGO_BYTES + 1 - PNG.length)])
    const { status, body } = await put(id, 'image/png', large)
    expect([status, body.error.code]).to.deep.equal([413, 'ERR_TOO_LARGE'])
    for (const [type, bytes] of [
      ['image/jpeg', PNG],
      ['image/png', '<html><script>alert(1)</script></html>'],
      ['text/html', '<p>'],
    ] as const) {
      const refused = await put(id, type, bytes)
      expect([refused.status, refused.body.error.code], type).to.deep.equal([422, 'ERR_INVALID'])
    }
    expect((await image(id)).status).to.equal(404)
  })

  it('API-11 an application without a logo, a deleted one and an unknown one have the same response', async () => {
    const [without, deleted] = [await application(), await application()]
    await put(deleted, 'image/png', PNG)
    expect((await image(deleted)).status).to.equal(200)
    expect((await service.api('DELETE', `/applications/${deleted}`, { as: admin })).status).to.equal(204)
    for (const id of [without, deleted, UNKNOWN]) {
      const response = await image(id)
      const { error } = await response.json()
      expect([response.status, error.code, error.message]).to.deep.equal([
        404,
        'ERR_NOT_FOUND',
        'The item was not found.',
      ])
    }
    for (const id of [deleted, UNKNOWN]) {
      expect((await put(id, 'image/png', PNG)).status).to.equal(404)
      expect((await remove(id)).status).to.equal(404)
    }
    const { rows } = await service.core.services.pool.query(
      'select from application_logos where application_id = $1',
      [deleted],
    )
    expect(rows).to.have.length(0)
  })

  it('API-11 a deletion at the same time leaves no logo', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await application()
      const [, uploaded] = await Promise.all([
        service.api('DELETE', `/applications/${id}`, { as: admin }),
        put(id, 'image/png', PNG),
      ])
      expect(uploaded.status).to.be.oneOf([200, 404])
      const { rows } = await service.core.services.pool.query(
        'select from application_logos where application_id = $1',
        [id],
      )
      expect(rows).to.have.length(0)
    }
  })

  it('API-11 only application administrators change it', async () => {
    const id = await application()
    const other = await service.person({}, ['security_admin'])
    expect((await put(id, 'image/png', PNG, { as: other })).status).to.equal(403)
    expect((await remove(id, other)).status).to.equal(403)
  })

  it('API-11 a version of the application in If-Match does not refuse it', async () => {
    const id = await application()
    const { version } = await record(id)
    const saved = await put(id, 'image/png', PNG, { headers: { 'If-Match': `"${String(version)}"` } })
    expect(saved.status, JSON.stringify(saved.body)).to.equal(200)
  })

  it('API-11 is what users and their pages see, before an address on another site', async () => {
    const user = await service.person()
    const root = await service.person({}, ['global_admin'])
    const group = (await service.api('POST', '/groups', { as: root, body: { name: 'Staff' } })).body.id
    await service.api('PUT', `/groups/${group}/members/${user.userId}`, { as: root })
    const id = await application({ logoUrl: ELSEWHERE, groupIds: [group] })
    const mine = async () => (await service.api('GET', '/me/applications', { as: user })).body[0].logoUrl
    const theirs = async () =>
      (await service.api('GET', `/users/${user.userId}/applications`, { as: admin })).body[0].logoUrl
    const account = async () =>
      (await fetch(`${service.publicUrl}/account`, { headers: { Cookie: user.cookie } })).text()
    expect([await mine(), await theirs()]).to.deep.equal([ELSEWHERE, ELSEWHERE])
    expect(await account(), 'the policy of pages allows no other site').not.to.contain('mark-other-logo')
    const { logoUrl } = (await put(id, 'image/png', PNG)).body
    expect([await mine(), await theirs()]).to.deep.equal([logoUrl, logoUrl])
    expect(await account()).to.contain(`src="${logoUrl}" alt=""`)

    const { clientId, redirectUris } = await record(id)
    const request = new URLSearchParams({
      ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUris[0], scope: 'openid' },
      ...{ state: 's', code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' },
    })
    const signIn = await fetch(`${service.publicUrl}/oauth2/authorize?${request.toString()}`)
    expect(await signIn.text(), signIn.url).to.contain(`src="${logoUrl}" alt=""`)
    const authRequest = new URL(signIn.url).searchParams.get('authRequest') ?? ''
    expect((await service.api('GET', `/auth/requests/${authRequest}`)).body).to.include({ logoUrl })
  })
})
