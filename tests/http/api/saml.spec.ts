import { expect } from 'chai'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { parseXml, childElements, childrenNamed } from '../../../adapters/kernel/xml.ts'
import { samlCertificateCommands } from '../../../adapters/application/commands/saml-certificates.ts'
import { rebuildReadModels } from '../../../cli/server/rebuild.ts'
import { audited } from '../../support/audit/audit.ts'
import {
  recordingLog,
  system,
  testPlace,
  testService,
  type TestPlace,
} from '../../support/service/service.ts'
import { everythingStored, payroll, refusal, startPlace, success, type Json, type Place } from './support.ts'

const MD = 'urn:oasis:names:tc:SAML:2.0:metadata'
const DS = 'http://www.w3.org/2000/09/xmldsig#'

const metadataOf = (entityId: string, acs: string): string =>
  `<EntityDescriptor xmlns="${MD}" entityID="${entityId}">
     <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
       <NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</NameIDFormat>
       <AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${acs}" index="0"/>
     </SPSSODescriptor>
   </EntityDescriptor>`

/** Returns the audit entries since the last call. */
const newsOf = ({ service, send }: Place) => {
  const seen = new Set<string>()
  return async (): Promise<Json[]> => {
    await audited(service)
    const entries: Json[] = success(await send('GET', '/audit?limit=200'))
    const news = entries.filter(({ id }) => !seen.has(id))
    for (const { id } of news) seen.add(id)
    return news
  }
}

describe('API SAML applications', function () {
  this.timeout(60_000)
  let place: Place
  let n = 0
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  const wiki = (more: object = {}) => {
    const name = `Wiki ${String(++n)}`
    const entityId = `https://wiki${String(n)}.example.com/saml`
    const saml = { entityId, acsUrls: [`${entityId}/acs`] }
    return { name, protocol: 'saml', saml, ...more }
  }
  const create = async (more: object = {}): Promise<Json> =>
    success(await place.send('POST', '/applications', wiki(more)), 201)
  const configuration = () => place.service.core.services.configuration.fresh()

  it('SAML-04 SAML-05 SAML-07 are registered with entityId and acsUrls', async () => {
    const groupId = success(await place.send('POST', '/groups', { name: 'Writers' }), 201).id
    const settings = wiki({ type: null, groupIds: [groupId], launchUrl: 'https://wiki.example.com/' })
    const app = success(await place.send('POST', '/applications', settings), 201)
    expect(app).to.have.all.keys(
      ...['id', 'name', 'description', 'protocol', 'type', 'status', 'builtIn', 'groupIds', 'logoUrl'],
      ...['uploadedLogoUrl', 'launchUrl', 'visibleInPortal', 'saml', 'createdAt', 'updatedAt', 'version'],
    )
    expect(app).to.include({ protocol: 'saml', type: null, status: 'active', builtIn: false })
    expect(app.saml).to.deep.equal({
      ...settings.saml,
      nameIdFormat: 'email',
      attributeNames: {
        email: 'email',
        name: 'name',
        given_name: 'given_name',
        family_name: 'family_name',
        groups: 'groups',
      },
      signResponse: false,
      acsIndexes: null,
      defaultRelayState: null,
      sessionNotOnOrAfter: true,
    })
    expect(success(await place.send('GET', `/applications/${app.id}`))).to.deep.equal(app)
    const listed = success(await place.send('GET', '/applications?protocol=saml'))
    expect(listed.map(({ id }: Json) => id)).to.include(app.id)
    const known = (await configuration()).samlByEntityId.get(settings.saml.entityId)
    expect(known).to.deep.include({ id: app.id, protocol: 'saml', groupIds: [groupId] })
    expect(known?.saml.acsUrls).to.deep.equal(settings.saml.acsUrls)
  })

  it('SAML-07 are registered with their metadata instead', async () => {
    const xml = metadataOf('urn:wiki', 'https://wiki.example.com/acs')
    const { saml: _, ...rest } = wiki()
    const app = success(
      await place.send('POST', '/applications', { ...rest, metadataXml: xml, saml: { signResponse: true } }),
      201,
    )
    expect(app.saml).to.deep.include({
      entityId: 'urn:wiki',
      acsUrls: ['https://wiki.example.com/acs'],
      nameIdFormat: 'persistent',
      signResponse: true,
    })
    const other = metadataOf('urn:wiki', 'https://wiki.example.com/other')
    const replaced = success(
      await place.send('PUT', `/applications/${app.id}/saml`, { metadataXml: other, nameIdFormat: 'email' }),
    )
    expect(replaced.saml).to.deep.include({
      acsUrls: ['https://wiki.example.com/other'],
      nameIdFormat: 'email',
      signResponse: false,
    })
    expect(await everythingStored(place.service.databaseUrl, '')).not.to.include('EntityDescriptor')
  })

  it('API-05 SAML-07 invalid values are rejected with the name of the field', async () => {
    const saml = { entityId: 'urn:x', acsUrls: ['https://x.example/acs'] }
    const metadataXml = metadataOf('urn:x', 'https://x.example/acs')
    const wrong: [object, string][] = [
      [{ saml: { acsUrls: saml.acsUrls } }, '/saml/entityId'],
      [{ saml: { entityId: 'urn:x' } }, '/saml/acsUrls'],
      [{ saml, metadataXml }, '/metadataXml'],
      [{ saml: undefined, metadataXml: '<x/>' }, '/metadataXml'],
      [{ saml: undefined, metadataXml: `<!DOCTYPE x>${metadataXml}` }, '/metadataXml'],
      [{ saml: undefined, metadataXml: metadataOf('urn:x', 'http://x.example/acs') }, '/metadataXml'],
      [{ saml: undefined, metadataXml: metadataOf('u r n', 'https://x.example/acs') }, '/metadataXml'],
      [{ saml: { ...saml, acsUrls: [] } }, '/saml/acsUrls'],
      [{ saml: { ...saml, acsUrls: ['http://x.example/acs'] } }, '/saml/acsUrls/0'],
      [{ saml: { ...saml, nameIdFormat: 'transient' } }, '/saml/nameIdFormat'],
      [{ saml: { ...saml, attributeNames: { email: 'name' } } }, '/saml/attributeNames/email'],
      [{ type: 'web' }, '/type'],
      [{ redirectUris: ['https://x.example/'] }, '/redirectUris'],
      [{ requirePkce: true }, '/requirePkce'],
      [{ launchUrl: 'http://x.example/' }, '/launchUrl'],
    ]
    for (const [fields, field] of wrong)
      refusal(await place.send('POST', '/applications', wiki(fields)), 422, 'ERR_INVALID', field)
    const unknown = wiki({ saml: { ...saml, attributeNames: { phone: 'a' } } })
    refusal(await place.send('POST', '/applications', unknown), 400, 'ERR_INVALID_JSON')
    const said = refusal(
      await place.send('POST', '/applications', wiki({ saml: undefined, metadataXml: '<!DOCTYPE x><x/>' })),
      422,
      'ERR_INVALID',
    )
    expect(said).to.equal('metadataXml: expected XML without a document type (DOCTYPE)')

    const app = await create()
    const put = (body: object) => place.send('PUT', `/applications/${app.id}/saml`, body)
    refusal(await put({}), 422, 'ERR_INVALID', '/entityId')
    refusal(await put({ ...saml, acsUrls: ['http://x.example/'] }), 422, 'ERR_INVALID', '/acsUrls/0')
    refusal(await put({ ...saml, metadataXml }), 422, 'ERR_INVALID', '/metadataXml')
    const path = `/applications/${app.id}`
    refusal(await place.send('PATCH', path, { redirectUris: [] }), 422, 'ERR_INVALID', '/redirectUris')
    refusal(await place.send('POST', `${path}/secrets`, {}), 409, 'ERR_CONFLICT')
    refusal(await place.send('POST', `${path}/secret/rotate`, {}), 409, 'ERR_CONFLICT')
    const oidc = success(await place.send('POST', '/applications', payroll('Plain')), 201)
    refusal(await place.send('PATCH', `/applications/${oidc.id}`, { saml: {} }), 422, 'ERR_INVALID', '/saml')
    refusal(await place.send('PUT', `/applications/${oidc.id}/saml`, saml), 409, 'ERR_CONFLICT')
  })

  it('SAML-07 AUD-01 an update changes only sent fields, which the audit trail lists', async () => {
    const app = await create({ launchUrl: 'https://wiki.example.com/' })
    const changed = success(
      await place.send('PATCH', `/applications/${app.id}`, {
        description: 'Pages',
        saml: { attributeNames: { groups: 'roles' }, defaultRelayState: '/home' },
      }),
    )
    expect(changed).to.deep.include({ description: 'Pages', launchUrl: app.launchUrl })
    expect(changed.saml).to.deep.equal({
      ...app.saml,
      attributeNames: { ...app.saml.attributeNames, groups: 'roles' },
      defaultRelayState: '/home',
    })
    const news = newsOf(place)
    await news()
    success(await place.send('PATCH', `/applications/${app.id}`, { saml: { defaultRelayState: null } }))
    const [entry] = await news()
    expect(entry).to.deep.include({
      action: 'application.saml.update',
      summary: `Updated the SAML settings of the application ${app.name}`,
      changes: [{ field: 'saml.defaultRelayState', from: '/home', to: null }],
    })
    const again = success(await place.send('PATCH', `/applications/${app.id}`, { saml: {} }))
    expect(again.saml).to.deep.equal({ ...changed.saml, defaultRelayState: null })
  })

  it('SAML-07 an entity id belongs to one application, until it is changed or deleted; of 10 concurrent requests one succeeds', async () => {
    const { saml, id } = await create()
    const taken = (body: object) => place.send('POST', '/applications', wiki(body))
    refusal(await taken({ saml }), 409, 'ERR_CONFLICT', '/saml/entityId')
    const xml = metadataOf(saml.entityId, 'https://x.example/')
    refusal(await taken({ saml: undefined, metadataXml: xml }), 409, 'ERR_CONFLICT')
    const other = await create()
    const path = `/applications/${other.id}`
    const { entityId } = saml
    refusal(await place.send('PATCH', path, { saml: { entityId } }), 409, 'ERR_CONFLICT', '/saml/entityId')
    refusal(
      await place.send('PUT', `${path}/saml`, { entityId, acsUrls: saml.acsUrls }),
      409,
      'ERR_CONFLICT',
      '/entityId',
    )
    success(await place.send('PATCH', `/applications/${id}`, { saml: { entityId: `${entityId}/2` } }))
    success(await place.send('PATCH', path, { saml: { entityId } }))
    success(await place.send('DELETE', path), 204)
    expect((await configuration()).samlByEntityId.has(entityId)).to.equal(false)
    await create({ saml })
    const crowd = await Promise.all(
      Array.from({ length: 10 }, () => taken({ saml: { ...saml, entityId: 'urn:crowd' } })),
    )
    expect(crowd.map(({ status }) => status).sort()).to.deep.equal([201, ...Array<number>(9).fill(409)])
  })

  it('SAML-03 are in the portal with the address that signs in to them', async () => {
    const person = await place.service.person()
    const groupId = success(await place.send('POST', '/groups', { name: 'Readers' }), 201).id
    success(await place.send('PUT', `/groups/${groupId}/members/${person.userId}`, {}), 204)
    const app = await create({ groupIds: [groupId] })
    const [mine] = success(await place.as(person)('GET', '/me/applications'))
    expect(mine).to.include({ id: app.id, launchUrl: `${place.service.publicUrl}/saml/launch/${app.id}` })
  })
})

describe('SAML-01 SAML-08 SAML certificates', function () {
  this.timeout(120_000)
  let at: TestPlace
  let place: Place
  before(async () => {
    at = await testPlace()
    place = await startPlace(at)
  })
  after(async () => {
    await place.service.stop()
    await at.drop()
  })

  const list = async (): Promise<Json> => success(await place.send('GET', '/saml/certificates'))
  const withStatus = async (status: string): Promise<Json> =>
    (await list()).filter((each: Json) => each.status === status)
  const get = (path: string) => fetch(`${place.service.publicUrl}${path}`)
  const metadata = async (): Promise<Element> =>
    parseXml(await (await get('/saml/metadata')).text()).documentElement
  const published = async (): Promise<readonly string[]> =>
    Array.from((await metadata()).getElementsByTagNameNS(DS, 'X509Certificate')).map(
      ({ textContent }) => new X509Certificate(Buffer.from(textContent ?? '', 'base64')).fingerprint256,
    )
  const shown = (certificates: Json): string[] =>
    certificates.map(({ certificate }: Json) => new X509Certificate(certificate).fingerprint256)
  const rotate = () => place.send('POST', '/saml/certificate/rotate')

  it('start with an active and a next one, of 2048 bits, for ten years', async () => {
    expect(await withStatus('active')).to.have.length(1)
    expect(await withStatus('next')).to.have.length(1)
    for (const { certificate, fingerprint, notBefore, notAfter } of await list()) {
      const x509 = new X509Certificate(certificate)
      expect(x509.subject).to.match(/^CN=(?:localhost$|Ärzte)/)
      expect(x509.verify(x509.publicKey)).to.equal(true)
      expect(x509.publicKey.asymmetricKeyDetails?.modulusLength).to.equal(2048)
      expect(x509.serialNumber).to.match(/^[4-7][0-9A-F]{31}$/)
      expect(x509.fingerprint256.replaceAll(':', '').toLowerCase()).to.equal(fingerprint)
      expect(Date.parse(x509.validFrom)).to.equal(Date.parse(notBefore)).and.be.below(Date.now())
      expect(new Date(notAfter).getUTCFullYear() - new Date(notBefore).getUTCFullYear()).to.equal(10)
    }
    const { samlCertificate } = await place.service.core.services.configuration.fresh()
    const [active] = await withStatus('active')
    expect(samlCertificate?.id).to.equal(active.id)
    const { privateKey } = samlCertificate!
    expect(new X509Certificate(active.certificate).checkPrivateKey(privateKey)).to.equal(true)
    expect(() => createPrivateKey(active.certificate)).to.throw()
  })

  it('are in the metadata at the entity id of the service', async () => {
    const { publicUrl } = place.service
    const answer = await get('/saml/metadata')
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.equal('application/samlmetadata+xml')
    const entity = await metadata()
    expect([entity.namespaceURI, entity.localName]).to.deep.equal([MD, 'EntityDescriptor'])
    expect(entity.getAttribute('entityID')).to.equal(`${publicUrl}/saml/metadata`)
    expect(entity.getAttribute('cacheDuration')).to.equal('PT24H')
    const days = (Date.parse(entity.getAttribute('validUntil') ?? '') - Date.now()) / 86_400_000
    expect(days).to.be.closeTo(7, 0.01)
    const [role, ...others] = childElements(entity)
    expect(others).to.deep.equal([])
    expect(role?.localName).to.equal('IDPSSODescriptor')
    expect(role?.getAttribute('WantAuthnRequestsSigned')).to.equal('false')
    // Schema order: keys, then name formats, then services.
    expect(childElements(role!).map(({ localName }) => localName)).to.deep.equal([
      ...(await list()).map(() => 'KeyDescriptor'),
      ...['NameIDFormat', 'NameIDFormat', 'NameIDFormat'],
      ...['SingleSignOnService', 'SingleSignOnService'],
    ])
    for (const key of childrenNamed(role!, MD, 'KeyDescriptor'))
      expect(key.getAttribute('use')).to.equal('signing')
    expect(
      childrenNamed(role!, MD, 'SingleSignOnService').map((each) => [
        each.getAttribute('Binding')?.split(':').at(-1),
        each.getAttribute('Location'),
      ]),
    ).to.have.deep.members([
      ['HTTP-Redirect', `${publicUrl}/saml/sso`],
      ['HTTP-POST', `${publicUrl}/saml/sso`],
    ])
    expect(await published()).to.have.members(shown(await list()))
  })

  it('are in the metadata with the active one first, for providers that read only the first', async () => {
    success(await rotate())
    const inOrder = ['active', 'next', 'previous']
    const expected = (await Promise.all(inOrder.map(withStatus))).flatMap(shown)
    expect(await published()).to.deep.equal(expected)
  })

  it('are served as PEM: the active one, and any other by its id', async () => {
    const [active] = await withStatus('active')
    const [next] = await withStatus('next')
    const answer = await get('/saml/certificate')
    expect(answer.headers.get('content-type')).to.equal('application/x-pem-file')
    expect(await answer.text()).to.equal(active.certificate)
    expect(await (await get(`/saml/certificate?id=${next.id}`)).text()).to.equal(next.certificate)
    expect((await get('/saml/certificate?id=crt_x')).status).to.equal(404)
  })

  it('rotate: the next one becomes active, and the previous one stays in the metadata until it is deleted', async () => {
    const [before] = await withStatus('active')
    const [next] = await withStatus('next')
    const rotated = success(await rotate())
    expect(rotated).to.include({ id: next.id, status: 'active' })
    expect((await withStatus('previous')).map(({ id }: Json) => id)).to.include(before.id)
    expect((await list()).slice(0, 2).map(({ status }: Json) => status)).to.deep.equal(['next', 'active'])
    expect(await published()).to.include.members(shown([before, next]))
    expect(await (await get('/saml/certificate')).text()).to.equal(next.certificate)

    refusal(await place.send('DELETE', `/saml/certificates/${next.id}`), 409, 'ERR_CONFLICT')
    success(await place.send('DELETE', `/saml/certificates/${before.id}`), 204)
    refusal(await place.send('DELETE', `/saml/certificates/${before.id}`), 404, 'ERR_NOT_FOUND')
    expect(await published()).not.to.include.members(shown([before]))
    const [following] = await withStatus('next')
    success(await place.send('DELETE', `/saml/certificates/${following.id}`), 204)
    const [another] = await withStatus('next')
    expect(another.id).not.to.equal(following.id)
    expect(await published())
      .to.include.members(shown([another, rotated]))
      .and.not.include.members(shown([following]))
  })

  it('rotate once for commands based on the same active certificate', async () => {
    const [next] = await withStatus('next')
    const commands = samlCertificateCommands(place.service.core.services)
    const ids = await Promise.all([commands.rotate(system), commands.rotate(system)])
    expect(ids).to.deep.equal([next.id, next.id])
    expect(await withStatus('next')).to.have.length(1)
  })

  it('AUD-01 are recorded in the audit trail, by their fingerprints', async () => {
    const news = newsOf(place)
    await news()
    const { id, fingerprint } = success(await rotate())
    const shown = fingerprint.slice(0, 16).toUpperCase().match(/../g).join(':')
    const entries = await news()
    expect(entries.map(({ action }) => action)).to.have.members([
      'saml.certificate.rotate',
      'saml.certificate.create',
    ])
    const rotation = entries.find(({ action }) => action === 'saml.certificate.rotate')
    expect(rotation).to.deep.include({
      targetType: 'saml_certificate',
      targetId: id,
      target: shown,
      summary: `Started signing SAML responses with the certificate ${shown}`,
    })
  })

  it('EVT-03 are the same after a replay, like the applications', async () => {
    await place.send('POST', '/applications', {
      name: 'Wiki',
      protocol: 'saml',
      saml: { entityId: 'urn:wiki', acsUrls: ['https://wiki.example.com/acs'] },
    })
    expect((await rebuildReadModels(at.config, recordingLog(), true)).differences).to.deep.equal([])
  })

  it('of the organization contain its name, and are the same on another instance', async () => {
    success(await place.send('PATCH', '/settings', { organizationName: 'Ärzte, "Süd"' }))
    success(await rotate())
    success(await rotate())
    const [active] = await withStatus('active')
    expect(new X509Certificate(active.certificate).subject).to.include('Ärzte')
    const other = await testPlace()
    const second = await testService({ ...at, config: { ...at.config, listen: other.config.listen } })
    try {
      const { samlCertificate } = await second.core.services.configuration.fresh()
      expect(samlCertificate?.id).to.equal(active.id)
      expect(await list()).to.have.length((await published()).length)
    } finally {
      await second.stop()
      await other.drop()
    }
  })
})
