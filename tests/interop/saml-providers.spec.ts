/** Third-party service providers, a browser and the service: with honest users and with attackers. */
import { expect } from 'chai'
import type { SamlSettings } from '../../domain/application/events.ts'
import { atAccount, type AccountBrowser } from '../support/browser/account-browser.ts'
import { oidcWorld } from '../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { samlWorld, formIn, type SamlWorld } from '../support/saml/saml.ts'
import { wrapAssertion, wrapResponse } from '../support/saml/saml-wrapping.ts'
import { startMellon } from './saml-mellon.ts'
import { startShibboleth } from './saml-shibboleth.ts'
import { startSimpleSamlPhp } from './saml-simplesamlphp.ts'
import { recognisedBy, type SamlStack, type StartSamlStack } from './saml-stack.ts'
import type { Recognised } from './saml-stack.ts'

interface Candidate {
  readonly name: string
  readonly start: StartSamlStack
  /** The attacks for which it uses only the signed part, with the attacker's own name; it rejects all other attacks. */
  readonly readsPast: readonly string[]
  /** Those that it also accepts if the whole response was signed and that signature has become invalid. */
  readonly readsPastBroken: readonly string[]
}

type Outcome = 'refused' | 'as signed' | 'as forged'

const candidates: readonly Candidate[] = [
  {
    name: 'Apache with mod_auth_mellon',
    start: startMellon,
    readsPast: ['XSW7, an ID of its own', 'XSW7, the same ID'],
    readsPastBroken: [],
  },
  {
    name: 'SimpleSAMLphp',
    start: startSimpleSamlPhp,
    readsPast: ['XSW7, an ID of its own'],
    readsPastBroken: ['XSW7, an ID of its own'],
  },
  { name: 'Shibboleth', start: startShibboleth, readsPast: ['XSW3, an ID of its own'], readsPastBroken: [] },
]

interface RegisteredApplication {
  readonly id: string
  readonly saml: SamlSettings
}

describe('third-party SAML service providers', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson
  let person: AccountBrowser
  /** An attacker who tries to sign in as another user. */
  let attacker: TestPerson
  let saml: SamlWorld
  let groupId: string
  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
    person = await atAccount(service)
    const world = oidcWorld(service)
    groupId = await world.group('Ingénierie')
    await world.join(groupId, person.userId)
    attacker = await service.person()
    await world.join(groupId, attacker.userId)
    saml = samlWorld(service, world)
  })
  after(async () => {
    await person.close()
    await service.stop()
  })

  /** @throws Error if the API returns an error */
  const call = async (method: string, path: string, body?: object) => {
    const answer = await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body as RegisteredApplication
  }
  const textAt = async (url: string): Promise<string> => {
    const response = await fetch(url)
    expect(response.status, url).to.equal(200)
    return response.text()
  }
  const metadata = () => textAt(`${service.publicUrl}/saml/metadata`)

  for (const { name, start, readsPast, readsPastBroken } of candidates)
    describe(name, () => {
      let stack: SamlStack | undefined
      let application: RegisteredApplication
      const running = (): SamlStack => {
        if (stack === undefined) throw new Error('not running')
        return stack
      }
      before(async () => {
        const entityId = `${service.publicUrl}/saml/metadata`
        stack = await start({ entityId, metadata: await metadata() })
        application = await call('POST', '/applications', {
          name,
          protocol: 'saml',
          metadataXml: await textAt(stack.metadataUrl),
          saml: { nameIdFormat: 'persistent', defaultRelayState: stack.page },
          groupIds: [groupId],
        })
      })
      after(async () => {
        await stack?.stop()
      })
      afterEach(async function () {
        if (this.currentTest?.state !== 'failed') return
        console.error(`At ${person.page.url()}: ${await person.page.innerText('body')}`)
        console.error(await stack?.errorLog())
      })

      const isRecognised = async (): Promise<void> => {
        await person.page.waitForURL(running().page)
        const recognised = JSON.parse(await person.page.innerText('body')) as Recognised
        expect(recognised).to.deep.equal({
          nameId: person.userId,
          email: person.email,
          name: 'Ada Lovelace',
          groups: ['Ingénierie'],
        })
      }

      /** @param method of the request that brings the browser to the service */
      const sendsToSignIn = async (start: string, method: 'GET' | 'POST'): Promise<void> => {
        await person.page.context().clearCookies()
        const request = person.page.waitForRequest((request) =>
          request.url().startsWith(`${service.publicUrl}/saml/sso`),
        )
        await person.page.goto(start)
        expect((await request).method()).to.equal(method)
        await person.page.waitForURL(`${service.publicUrl}/sign-in?**`)
        await person.press('Sign in with a passkey')
        await isRecognised()
      }

      it('SAML-02 SAML-04 SAML-05 SAML-07 sends users to sign in, and identifies them afterwards', async () => {
        const { page, pageByPost } = running()
        await sendsToSignIn(page, 'GET')
        if (pageByPost !== undefined) await sendsToSignIn(pageByPost, 'POST')
      })

      it('SAML-03 is opened from the service', async () => {
        await person.page.context().clearCookies({ domain: '127.0.0.1' })
        await person.page.goto(`${service.publicUrl}/saml/launch/${application.id}`)
        await isRecognised()
      })

      /** Returns a valid response that the attacker gets for themselves. */
      const launched = async (): Promise<string> => {
        const { text } = await saml.get(`/saml/launch/${application.id}`, attacker)
        return Buffer.from(formIn(text).fields['SAMLResponse'] ?? '', 'base64').toString()
      }
      /** Returns the user whom it signs in for a posted response, if any. */
      const letIn = async (response: string): Promise<string | null> =>
        (await recognisedBy(running(), application.saml.acsUrls[0] ?? '', response))?.nameId ?? null
      const forge = (text: string): string =>
        text.replaceAll(attacker.userId, person.userId).replaceAll(attacker.email, person.email)

      const set = async (saml: Partial<SamlSettings>): Promise<void> => {
        const settings = { ...application.saml, ...saml }
        application = await call('PUT', `/applications/${application.id}/saml`, settings)
      }

      it('SAML-04 SAML-06 identifies users by NameIDs of every format, in responses with and without a signature', async () => {
        for (const signResponse of [false, true])
          for (const nameIdFormat of ['email', 'unspecified', 'persistent'] as const) {
            await set({ signResponse, nameIdFormat })
            const nameId = nameIdFormat === 'persistent' ? attacker.userId : attacker.email
            expect(await letIn(await launched()), `${nameIdFormat} ${String(signResponse)}`).to.equal(nameId)
          }
      })

      /** The results of messages that are signed for the attacker and contain the name of the other user. */
      const outcomes = async (wrap: typeof wrapAssertion): Promise<Record<string, Outcome>> => {
        expect(await letIn(await launched())).to.equal(attacker.userId)
        const outcomeByWay: Record<string, Outcome> = {}
        let ways = wrap(await launched(), forge)
        for (const [index, { name: way }] of ways.entries()) {
          const xml = ways[index]?.xml ?? ''
          expect(xml).to.include(person.userId)
          const whom = await letIn(xml)
          outcomeByWay[way] = whom === null ? 'refused' : whom === attacker.userId ? 'as signed' : 'as forged'
          // An accepted response may be rejected when it is used again.
          if (whom !== null) ways = wrap(await launched(), forge)
        }
        return outcomeByWay
      }
      /** All are rejected except these, which sign in the user they were issued for. */
      const allBut = (outcomeByWay: Record<string, Outcome>, ...asSigned: string[]): void => {
        const expected = Object.keys(outcomeByWay).map((way) => [
          way,
          asSigned.includes(way) ? 'as signed' : 'refused',
        ])
        expect(outcomeByWay).to.deep.equal(Object.fromEntries(expected))
      }

      it('SAML-08 keeps working after a certificate rotation if it reads the metadata in time', async () => {
        const letsTheirOwnIn = async () => {
          expect(await letIn(await launched())).to.equal(attacker.userId)
        }
        await letsTheirOwnIn()
        await call('POST', '/saml/certificate/rotate')
        await letsTheirOwnIn()
        await running().trust(await metadata())
        await letsTheirOwnIn()
        await call('POST', '/saml/certificate/rotate')
        await letsTheirOwnIn()
        await running().trust(await metadata())
      })

      it('SAML-06 a message with any of the eight signature wrapping attacks is rejected, or signs in the user it was issued for', async () => {
        await set({ signResponse: false })
        allBut(await outcomes(wrapAssertion), ...readsPast)
        await set({ signResponse: true })
        allBut(await outcomes(wrapAssertion), ...readsPastBroken)
        allBut(await outcomes(wrapResponse))
      })
    })
})
