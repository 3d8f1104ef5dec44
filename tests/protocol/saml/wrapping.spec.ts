import { expect } from 'chai'
import { ValidateInResponseTo } from '@node-saml/node-saml'
import { oidcWorld } from '../../support/oidc/oidc.ts'
import { formIn, samlWorld } from '../../support/saml/saml.ts'
import { wrapAssertion, wrapResponse } from '../../support/saml/saml-wrapping.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('SAML signature wrapping', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())

  for (const signResponse of [false, true])
    it(`SAML-06 node-saml signs in no user as another in any of the eight attacks (signResponse ${String(signResponse)})`, async () => {
      const saml = samlWorld(service, oidcWorld(service))
      const sp = await saml.provider({ signResponse })
      const attacker = await saml.member(sp)
      const client = await saml.client(sp, {
        validateInResponseTo: ValidateInResponseTo.never,
        wantAssertionsSigned: !signResponse,
        wantAuthnResponseSigned: signResponse,
      })
      const { text } = await saml.get(`/saml/launch/${sp.applicationId}`, attacker)
      const response = Buffer.from(formIn(text).fields['SAMLResponse'] ?? '', 'base64').toString()
      const forge = (signed: string): string => signed.replaceAll(attacker.email, 'victim@example.com')
      const letIn = (xml: string): Promise<string | null> =>
        client.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') }).then(
          ({ profile }) => profile?.nameID ?? null,
          () => null,
        )
      expect(await letIn(response)).to.equal(attacker.email)
      const ways = signResponse
        ? [...wrapResponse(response, forge), ...wrapAssertion(response, forge)]
        : wrapAssertion(response, forge)
      for (const { name, xml } of ways) {
        expect(xml).to.include('victim@example.com')
        // What an extension contains proves nothing (Core §3.2.2): the signed assertion next to it is still valid.
        const ignored = !signResponse && name === 'XSW7, an ID of its own'
        expect(await letIn(xml), name).to.equal(ignored ? attacker.email : null)
      }
    })
})
