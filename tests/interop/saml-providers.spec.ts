/** Service providers that others wrote, a browser and the service: as people use them, and as attackers do. */
import { expect } from 'chai'
import { atAccount, type AccountBrowser } from '../support/account-browser.ts'
import { oidcWorld } from '../support/oidc.ts'
import { testService, type TestPerson, type TestService } from '../support/service.ts'
import { startMellon } from './saml-mellon.ts'
import type { Recognised, SamlStack, StartSamlStack } from './saml-stack.ts'

const stacks: readonly (readonly [string, StartSamlStack])[] = [['Apache with mod_auth_mellon', startMellon]]

describe('SAML service providers of others', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson
  let person: AccountBrowser
  let groupId: string
  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
    person = await atAccount(service)
    const world = oidcWorld(service)
    groupId = await world.group('Ingénierie')
    await world.join(groupId, person.userId)
  })
  after(async () => {
    await person.close()
    await service.stop()
  })

  /** @throws Error when the API refuses */
  const call = async (method: string, path: string, body?: object) => {
    const answer = await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body as { readonly id: string }
  }
  const textAt = async (url: string): Promise<string> => {
    const response = await fetch(url)
    expect(response.status, url).to.equal(200)
    return response.text()
  }
  const metadata = () => textAt(`${service.publicUrl}/saml/metadata`)

  for (const [name, start] of stacks)
    describe(name, () => {
      let stack: SamlStack | undefined
      let applicationId: string
      const running = (): SamlStack => {
        if (stack === undefined) throw new Error('not running')
        return stack
      }
      before(async () => {
        const entityId = `${service.publicUrl}/saml/metadata`
        stack = await start({ entityId, metadata: await metadata() })
        const made = await call('POST', '/applications', {
          name,
          protocol: 'saml',
          metadataXml: await textAt(stack.metadataUrl),
          saml: { nameIdFormat: 'persistent', defaultRelayState: stack.page },
          groupIds: [groupId],
        })
        applicationId = made.id
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

      it('SAML-02 SAML-04 SAML-05 SAML-07 sends someone to sign in, and knows them afterwards', async () => {
        await person.page.context().clearCookies()
        await person.page.goto(running().page)
        await person.page.waitForURL(`${service.publicUrl}/sign-in?**`)
        await person.press('Sign in with a passkey')
        await isRecognised()
      })

      it('SAML-03 is opened from the service', async () => {
        await person.page.context().clearCookies({ domain: '127.0.0.1' })
        await person.page.goto(`${service.publicUrl}/saml/launch/${applicationId}`)
        await isRecognised()
      })
    })
})
