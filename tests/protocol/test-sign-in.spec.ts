import { expect } from 'chai'
import { oidcWorld, type OidcWorld, type TestApplication } from '../support/oidc/oidc.ts'
import { samlWorld, type SamlWorld } from '../support/saml/saml.ts'
import { newJar, passkeyWorld } from '../support/sign-in/passkey-world.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'

describe('A test sign-in', () => {
  let service: TestService
  let world: OidcWorld
  let saml: SamlWorld
  let admin: TestPerson
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    saml = samlWorld(service, world)
    admin = await service.person({ name: 'Grace Hopper' }, ['app_admin', 'auditor'])
  })
  after(() => service.stop())

  const start = async (applicationId: string, body: object = {}, as: TestPerson = admin) =>
    service.api('POST', `/applications/${applicationId}/test-sign-in`, { as, body })

  /** The path that continues a test. */
  const started = async (applicationId: string, body: object = {}): Promise<string> => {
    const answer = await start(applicationId, body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    return String(answer.body.url).replace(service.publicUrl, '')
  }

  /** The documents on a report, such as the claims of the ID token. */
  const documentsIn = (html: string): readonly string[] =>
    [...html.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, text = '']) =>
      text
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&'),
    )

  const signInsTo = async (applicationId: string): Promise<number> => {
    const { body } = await service.api('GET', `/sign-ins?appId=${applicationId}`, { as: admin })
    return (body as readonly unknown[]).length
  }

  it('OIDC-02 shows the claims that the application receives, and issues nothing', async () => {
    const app = await world.application('web')
    const ada = await world.member(app, { name: 'Ada Lovelace', givenName: 'Ada' })
    const scope = 'openid profile email groups offline_access'
    const path = await started(app.applicationId, { scopes: scope.split(' ') })
    const { status, text, headers } = await world.browse(path, ada)
    expect([status, headers.get('cache-control')]).to.deep.equal([200, 'no-store'])
    expect(text).to.include(`The sign-in to ${app.name} works`)
    expect(await signInsTo(app.applicationId)).to.equal(0)
    expect((await service.api('GET', '/me/applications', { as: ada })).status).to.equal(200)

    const tokens = await world.tokens(app, ada, scope)
    const [idToken = '', userinfo = ''] = documentsIn(text)
    const { iat: _, exp: __, at_hash: ___, ...real } = world.claimsIn(tokens.id_token)
    const { iat, exp, ...shown } = JSON.parse(idToken) as Record<string, number>
    expect(shown).to.deep.equal(real)
    expect((exp ?? 0) - (iat ?? 0)).to.equal(900)
    expect(JSON.parse(userinfo)).to.deep.equal((await world.userinfo(tokens.access_token)).body)
  })

  it('SAML-01 shows the attributes that the application receives', async () => {
    const sp = await saml.provider()
    const ada = await saml.member(sp, { name: 'Ada Lovelace' })
    const { text } = await world.browse(await started(sp.applicationId), ada)
    const [xml = ''] = documentsIn(text)
    expect(xml).to.include(`<saml:NameID`).and.to.include(ada.email).and.to.include('Lovelace')
    expect(xml).to.include(`<saml:Audience>${sp.entityId}</saml:Audience>`).and.not.to.include('Signature')
    expect(await signInsTo(sp.applicationId)).to.equal(0)
  })

  it('tells a user who is not assigned what is missing, and the application nothing', async () => {
    for (const { applicationId, name } of [await world.application('spa'), await saml.provider()]) {
      const outsider = await service.person()
      const { status, text, location } = await world.browse(await started(applicationId), outsider)
      expect([status, location]).to.deep.equal([200, null])
      expect(text).to.include(`The sign-in to ${name} does not work`).and.to.include('is not assigned')
      expect(documentsIn(text)).to.deep.equal([])
      expect(await signInsTo(applicationId)).to.equal(0)
    }
  })

  it('signs a user in first, also one who is not assigned, without recording a sign-in to the application', async () => {
    const app = await world.application('native')
    const passkeys = passkeyWorld(service)
    const ada = await passkeys.enrolled(newJar())
    const { location } = await world.browse(await started(app.applicationId), null)
    const authRequestId = new URL(location ?? '', service.publicUrl).searchParams.get('authRequest') ?? ''
    const { status, body } = await passkeys.tryIn(ada, newJar(), authRequestId)
    expect([status, body.redirectTo]).to.deep.equal([200, `/sign-in/test?authRequest=${authRequestId}`])
    expect(await signInsTo(app.applicationId)).to.equal(0)
  })

  it('requires another sign-in if the administrator chose so', async () => {
    const app = await world.application('web')
    const ada = await world.member(app)
    const again = await world.browse(await started(app.applicationId, { signInAgain: true }), ada)
    expect(again.location).to.match(/\/sign-in\?authRequest=/)
  })

  it('works once, and offers only its administrator the way back to the console', async () => {
    const app = await world.application('web')
    const ada = await world.member(app)
    const path = await started(app.applicationId)
    const own = await world.browse(path, ada)
    expect(own.text).to.include('An administrator asked for this test').and.not.to.include('/console/')
    expect((await world.browse(path, ada)).text).to.include('ERR_AUTH_REQUEST_EXPIRED')
    await world.join(app.groupId, admin.userId)
    const { text } = await world.browse(await started(app.applicationId), admin)
    expect(text).to.include(`/console/applications/${app.applicationId}`)
  })

  it('is cancelled to the console, and cannot be continued as a request of the application', async () => {
    const app: TestApplication = await world.application('web')
    const idOf = (path: string) => new URLSearchParams(path.split('?')[1]).get('authRequest') ?? ''
    const cancelled = await world.browse('/sign-in/cancel', null, {
      method: 'POST',
      body: new URLSearchParams({ authRequest: idOf(await started(app.applicationId)) }),
    })
    expect(cancelled.location).to.equal(`${service.publicUrl}/console/applications/${app.applicationId}`)
    const ada = await world.member(app)
    for (const resume of ['/oauth2/authorize/resume', '/saml/sso/resume']) {
      const id = idOf(await started(app.applicationId))
      const { status, location } = await world.browse(`${resume}?authRequest=${id}`, ada)
      expect([status, location], resume).to.deep.equal([404, null])
    }
  })

  describe('is refused', () => {
    it('AUT-05 to administrators of something else', async () => {
      const { applicationId } = await world.application('web')
      for (const role of ['auditor', 'user_admin', 'security_admin'] as const) {
        const { status } = await start(applicationId, {}, await service.person({}, [role]))
        expect(status, role).to.equal(403)
      }
    })

    it('with a scope that the application cannot request', async () => {
      const web = await world.application('web')
      const sp = await saml.provider()
      for (const [applicationId, scopes] of [
        [web.applicationId, ['openid', 'billing:read']],
        [web.applicationId, []],
        [web.applicationId, ['openid email']],
        [sp.applicationId, ['openid']],
      ] as const) {
        const { status, body } = await start(applicationId, { scopes })
        expect([status, body.error.code], scopes.join()).to.deep.equal([422, 'ERR_INVALID'])
        expect(body.error.field, scopes.join()).to.match(/^\/scopes/)
      }
    })

    it('for an application that is disabled, or that signs nobody in', async () => {
      const disabled = await world.application('web')
      await world.change({ type: 'disable', applicationId: disabled.applicationId })
      for (const { applicationId } of [disabled, await world.application('service', { redirectUris: [] })])
        expect((await start(applicationId)).status).to.equal(409)
      expect((await start('app_00000000000000000000000000')).status).to.equal(404)
    })
  })
})
