import { expect } from 'chai'
import { oidcWorld, type OidcWorld } from '../../support/oidc/oidc.ts'
import {
  authnRequestXml,
  formIn,
  redirectQuery,
  samlWorld,
  type SamlWorld,
  type TestServiceProvider,
} from '../../support/saml/saml.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

describe('rejected SAML single sign-on', () => {
  let service: TestService
  let world: OidcWorld
  let saml: SamlWorld
  let sp: TestServiceProvider
  let person: TestPerson
  let administrator: TestPerson
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    saml = samlWorld(service, world)
    sp = await saml.provider()
    person = await saml.member(sp)
    administrator = await service.person({}, ['global_admin'])
  })
  after(() => service.stop())

  describe('returns a page, and sends nothing, if', () => {
    const page = async (
      answer: Awaited<ReturnType<SamlWorld['ask']>>,
      status: number,
      code: string,
    ): Promise<void> => {
      expect(answer.status).to.equal(status)
      expect(answer.location).to.equal(null)
      expect(answer.text).to.include(code).and.not.include('SAMLResponse').and.not.include('data-submit')
      expect(answer.headers.get('cache-control')).to.equal('no-store')
    }

    it('SAML-02 the issuer is unknown; the page repeats nothing of it', async () => {
      const issuer = 'https://evil.example.com/&lt;script&gt;alert(1)'
      const answer = await saml.get(`/saml/sso${redirectQuery(authnRequestXml({ issuer }), '<i>')}`, person)
      await page(answer, 400, 'ERR_INVALID_CLIENT')
      expect(answer.text).not.to.include('evil').and.not.include('alert')
    })
    it('SAML-02 the address is not registered', async () => {
      const answer = await saml.ask(sp, person, {
        attributes: ' AssertionConsumerServiceURL="https://evil.example.com/acs"',
      })
      await page(answer, 400, 'ERR_INVALID_REDIRECT_URI')
      expect(answer.text).not.to.include('evil')
      expect(answer.headers.get('content-security-policy')).not.to.include('evil')
    })
    it('SAML-02 the address is registered for another application', async () => {
      const other = await saml.provider()
      const attributes = ` AssertionConsumerServiceURL="${other.acsUrl}"`
      await page(await saml.ask(sp, person, { attributes }), 400, 'ERR_INVALID_REDIRECT_URI')
    })
    it('SAML-02 the request is for another identity provider, too old, or not a request', async () => {
      const other = { attributes: ' Destination="https://other.example.com/"' }
      await page(await saml.ask(sp, person, other), 400, 'ERR_INVALID_SAML_REQUEST')
      const old = { issueInstant: new Date(Date.now() - 301_000).toISOString() }
      await page(await saml.ask(sp, person, old), 400, 'ERR_INVALID_SAML_REQUEST')
      for (const query of ['', '?SAMLRequest=x', '?SAMLResponse=x', '?SAMLRequest=%zz'])
        await page(await saml.get(`/saml/sso${query}`, person), 400, 'ERR_INVALID_SAML_REQUEST')
      await page(await saml.post({}), 400, 'ERR_INVALID_SAML_REQUEST')
      const json = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }
      await page(await world.browse('/saml/sso', person, json), 400, 'ERR_INVALID_SAML_REQUEST')
    })
    it('SAML-02 a body never ends', async () => {
      const body = new URLSearchParams({ SAMLRequest: 'A'.repeat(300_000) })
      const answer = await world.browse('/saml/sso', person, { method: 'POST', body })
      await page(answer, 400, 'ERR_INVALID_SAML_REQUEST')
    })
    it('SAML-02 the same request is repeated, in sequence or concurrently', async () => {
      const url = `/saml/sso${redirectQuery(authnRequestXml({ issuer: sp.entityId, id: '_once' }))}`
      expect((await saml.get(url, person)).status).to.equal(200)
      await page(await saml.get(url, person), 400, 'ERR_AUTH_REQUEST_EXPIRED')
      const other = `/saml/sso${redirectQuery(authnRequestXml({ issuer: sp.entityId, id: '_twice' }))}`
      const both = await Promise.all([saml.get(other, person), saml.get(other, person)])
      expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400])
    })
    it('SAML-02 the same id from another application is another request', async () => {
      const provider = await saml.provider()
      const someone = await saml.member(provider)
      for (const [which, who] of [
        [sp, person],
        [provider, someone],
      ] as const)
        expect((await saml.ask(which, who, { id: '_shared' })).status).to.equal(200)
    })
    it('SAML-03 the application does not exist, or uses another protocol', async () => {
      const app = await world.application('web')
      for (const id of ['', 'app_x', app.applicationId, `${sp.applicationId}%00`])
        await page(await saml.get(`/saml/launch/${id}`, person), 400, 'ERR_INVALID_CLIENT')
    })
    it('ASG-01 no group is assigned', async () => {
      const provider = await saml.provider({}, { groups: 'none' })
      await page(await saml.ask(provider, person), 403, 'ERR_NOT_ASSIGNED')
    })
  })

  describe('ASG-02 a user outside every assigned group', () => {
    it('gets an error page, and can go back with a signed response', async () => {
      const outsider = await service.person()
      const client = await saml.client(sp)
      const answer = await saml.get(await client.getAuthorizeUrlAsync('r', undefined, {}), outsider)
      expect(answer.status).to.equal(403)
      expect(answer.text).to.include('ERR_NOT_ASSIGNED').and.include(sp.name)
      const id = /name="authRequest" value="([\w-]{43})"/.exec(answer.text)?.[1] ?? ''
      const back = await world.browse('/sign-in/cancel', outsider, {
        method: 'POST',
        body: new URLSearchParams({ authRequest: id }),
      })
      const failure = await saml.received(client, formIn(back.text)).catch((error: unknown) => error)
      expect(String(failure)).to.match(/Responder.*RequestDenied/)
      await until(async () => {
        const { body } = await service.api('GET', `/sign-ins?appId=${sp.applicationId}`, {
          as: administrator,
        })
        return (body as { userId: string; reason: string }[]).some(
          ({ userId, reason }) => userId === outsider.userId && reason === 'not_assigned',
        )
      })
    })

    it('gets an error page when opening it from here', async () => {
      const outsider = await service.person()
      const answer = await saml.get(`/saml/launch/${sp.applicationId}`, outsider)
      expect(answer.status).to.equal(403)
      expect(answer.text).to.include('ERR_NOT_ASSIGNED').and.not.include('/sign-in/cancel')
    })
  })

  describe('ASG-03 from the moment it was acknowledged', () => {
    it('a user who left the group gets no assertion', async () => {
      const someone = await saml.member(sp)
      expect((await saml.ask(sp, someone)).status).to.equal(200)
      await world.leave(sp.groupId, someone.userId)
      expect((await saml.ask(sp, someone)).status).to.equal(403)
    })

    it('a suspended user, and a user whose session has ended, must sign in', async () => {
      const [suspended, signedOut] = [await saml.member(sp), await saml.member(sp)]
      await service.api('POST', `/users/${suspended.userId}/suspend`, { as: administrator, body: {} })
      await service.api('DELETE', `/sessions/${signedOut.sessionId}`, { as: administrator })
      for (const someone of [suspended, signedOut]) {
        const { status, location } = await saml.ask(sp, someone)
        expect([status, location?.includes('/sign-in?')]).to.deep.equal([303, true])
      }
    })

    it('a disabled application gets nothing, not even for pending requests', async () => {
      const provider = await saml.provider()
      const someone = await saml.member(provider)
      const { location } = await saml.ask(provider, null)
      const id = new URL(location ?? '').searchParams.get('authRequest') ?? ''
      await world.change({ type: 'disable', applicationId: provider.applicationId })
      for (const answer of [
        await saml.ask(provider, someone),
        await saml.get(`/saml/launch/${provider.applicationId}`, someone),
        await saml.get(`/saml/sso/resume?authRequest=${id}`, someone),
      ]) {
        expect(answer.status).to.equal(400)
        expect(answer.text).to.include('ERR_INVALID_CLIENT')
      }
    })

    it('a removed address gets nothing, not even for pending requests', async () => {
      const provider = await saml.provider()
      const someone = await saml.member(provider)
      const { location } = await saml.ask(provider, null)
      const id = new URL(location ?? '').searchParams.get('authRequest') ?? ''
      await world.change({
        type: 'update',
        applicationId: provider.applicationId,
        settings: {},
        saml: { acsUrls: ['https://new.example.com/acs'] },
      })
      const answer = await saml.get(`/saml/sso/resume?authRequest=${id}`, someone)
      expect(answer.status).to.equal(400)
      expect(answer.text).to.include('ERR_INVALID_REDIRECT_URI')
    })
  })
})
