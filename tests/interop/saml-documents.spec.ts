/** What SAML applications receive, verified with xmlsec1 and the OASIS schemas. */
import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { validateXML } from 'xmllint-wasm'
import { oidcWorld, type OidcWorld } from '../support/oidc/oidc.ts'
import { formIn, samlWorld, type SamlWorld } from '../support/saml/saml.ts'
import { testService, type TestService } from '../support/service/service.ts'
import { requireInstalled } from './daemon.ts'

const run = promisify(execFile)
const xmlsec1 = '/usr/bin/xmlsec1'
const saml2 = '/usr/share/xml/opensaml'
const schemas = [
  ...['assertion', 'protocol', 'metadata'].map((name) => `${saml2}/saml-schema-${name}-2.0.xsd`),
  ...['xmldsig-core-schema', 'xenc-schema', 'xml'].map((name) => `/usr/share/xml/xmltooling/${name}.xsd`),
]

describe('SAML documents verified by other tools', function () {
  this.timeout(60_000)
  let service: TestService
  let world: OidcWorld
  let saml: SamlWorld
  let folder: string
  before(async () => {
    requireInstalled(
      'The tools for SAML documents',
      [xmlsec1, ...schemas],
      'xmlsec1 opensaml-schemas xmltooling-schemas',
    )
    folder = await mkdtemp(join(tmpdir(), 'svc-saml-'))
    service = await testService()
    world = oidcWorld(service)
    saml = samlWorld(service, world)
  })
  after(async () => {
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const launched = async (signResponse: boolean): Promise<string> => {
    const sp = await saml.provider({ signResponse })
    const member = await saml.member(sp, { name: 'Zoë <O\'Hara> & "Søn"' })
    const { text } = await saml.get(`/saml/launch/${sp.applicationId}`, member)
    return Buffer.from(formIn(text).fields['SAMLResponse'] ?? '', 'base64').toString()
  }
  const denied = async (): Promise<string> => {
    const sp = await saml.provider({}, { groups: 'none' })
    const person = await service.person()
    const refusal = await saml.ask(sp, person)
    const [, authRequest = ''] = /name="authRequest" value="([^"]*)"/.exec(refusal.text) ?? []
    const { text } = await world.browse('/sign-in/cancel', person, {
      method: 'POST',
      body: new URLSearchParams({ authRequest }),
    })
    return Buffer.from(formIn(text).fields['SAMLResponse'] ?? '', 'base64').toString()
  }
  const textAt = async (path: string) => (await fetch(`${service.publicUrl}${path}`)).text()

  /** Whether the signature in this element can be verified. */
  const holds = async (xml: string, element: 'Response' | 'Assertion'): Promise<boolean> => {
    const [message, certificate] = [join(folder, 'message.xml'), join(folder, 'certificate.pem')]
    await Promise.all([writeFile(message, xml), writeFile(certificate, await textAt('/saml/certificate'))])
    const args = [
      '--verify',
      ...['--pubkey-cert-pem', certificate],
      ...['--id-attr:ID', 'urn:oasis:names:tc:SAML:2.0:protocol:Response'],
      ...['--id-attr:ID', 'urn:oasis:names:tc:SAML:2.0:assertion:Assertion'],
      ...['--node-xpath', `//*[local-name()='${element}']/*[local-name()='Signature']`],
      message,
    ]
    return run(xmlsec1, args).then(
      () => true,
      () => false,
    )
  }

  for (const signResponse of [false, true])
    it(`SAML-06 xmlsec1 verifies the signatures (signResponse ${String(signResponse)})`, async () => {
      const xml = await launched(signResponse)
      expect(await holds(xml, 'Assertion')).to.equal(true)
      expect(await holds(xml, 'Response')).to.equal(signResponse)
      const changed = xml.replace('Zoë', 'Zoe')
      expect(changed).not.to.equal(xml)
      expect(await holds(changed, 'Assertion')).to.equal(false)
      expect(await holds(changed, 'Response')).to.equal(false)
    })

  it('SAML-06 xmlsec1 verifies the signature of a denial', async () => {
    expect(await holds(await denied(), 'Response')).to.equal(true)
  })

  /** Returns the errors of a document by a schema. */
  const findings = async (xml: string, schema: string): Promise<readonly string[]> => {
    const files = await Promise.all(
      schemas.map(async (path) => ({
        fileName: basename(path),
        // Replaces published addresses by local files; the DTD of a schema is not needed.
        contents: (await readFile(path, 'utf8'))
          .replace(/schemaLocation="[^"]*\/([^"/]+)"/g, 'schemaLocation="$1"')
          .replace(/<!DOCTYPE[^[>]*(?:\[.*?\])?\s*>/s, ''),
      })),
    )
    const result = await validateXML({
      xml: [{ fileName: 'document.xml', contents: xml }],
      schema: files.filter(({ fileName }) => fileName === schema),
      preload: files.filter(({ fileName }) => fileName !== schema),
    })
    return result.errors.map(({ message }) => message)
  }

  it('SAML-02 SAML-09 responses of every kind are valid for the schema of the protocol', async () => {
    for (const xml of [await launched(false), await launched(true), await denied()]) {
      expect(await findings(xml, 'saml-schema-protocol-2.0.xsd')).to.deep.equal([])
      const spoilt = xml.replace('<samlp:Status>', '<samlp:Status/><samlp:Status>')
      expect(await findings(spoilt, 'saml-schema-protocol-2.0.xsd')).not.to.deep.equal([])
    }
  })

  it('SAML-01 the metadata is valid for its schema', async () => {
    const xml = await textAt('/saml/metadata')
    expect(await findings(xml, 'saml-schema-metadata-2.0.xsd')).to.deep.equal([])
    const spoilt = xml.replace(/<md:SingleSignOnService[^>]*>/g, '')
    expect(await findings(spoilt, 'saml-schema-metadata-2.0.xsd')).not.to.deep.equal([])
  })
})
