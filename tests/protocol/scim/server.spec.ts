import { expect } from 'chai'
import type { Role } from '../../../domain/roles.ts'
import { noLimits } from '../../../adapters/inbound/http/rate-limit-rules.ts'
import { apiKey } from '../../support/api/api-keys.ts'
import {
  directory,
  ENTERPRISE,
  ERROR,
  GROUP,
  LIST,
  scimRequest,
  USER,
  type Directory,
  type ScimReply,
} from '../../support/scim/scim.ts'
import { testPlace, testService, type TestPlace, type TestService } from '../../support/service/service.ts'

describe('The SCIM server', function () {
  this.timeout(60_000)
  let place: TestPlace
  let service: TestService
  let scim: Directory
  before(async () => {
    place = await testPlace({ rateLimits: { ...noLimits, scim: { limit: 400, seconds: 60 } } })
    service = await testService(place)
    scim = await directory(service)
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })
  // Each test has its own bucket.
  beforeEach(async () => {
    scim = await directory(service)
  })

  const refused = ({ status, body }: ScimReply): string => {
    expect(body.schemas).to.deep.equal([ERROR])
    expect(body.status).to.equal(String(status))
    expect(body.detail).to.be.a('string').and.not.equal('')
    return `${String(status)}${body.scimType === undefined ? '' : ` ${String(body.scimType)}`}`
  }
  const post = (path: string, body: unknown) => scim.scim('POST', path, body)
  const user = (fields: object) => post('/Users', { schemas: [USER], ...fields })

  describe('Credentials', () => {
    const withKey = async (roles: readonly Role[], scopes: readonly ('api' | 'scim')[]) => {
      const { headers } = await apiKey(service, { roles, scopes })
      return refusedOrStatus(await scimRequest(service, 'GET', '/Users', undefined, headers))
    }
    const refusedOrStatus = (reply: ScimReply) => (reply.status < 400 ? String(reply.status) : refused(reply))

    it('SCIM-02 requires the scope scim and the role of a user administrator', async () => {
      expect(await withKey(['user_admin'], ['scim'])).to.equal('200')
      expect(await withKey(['global_admin'], ['scim', 'api'])).to.equal('200')
      expect(await withKey(['user_admin'], ['api'])).to.equal('403')
      expect(await withKey(['app_admin', 'auditor'], ['scim'])).to.equal('403')
      expect(await withKey([], ['scim'])).to.equal('403')
    })

    it('SCIM-02 returns 401 without a valid key, for every path', async () => {
      const person = await service.person({}, ['global_admin'])
      for (const headers of [
        {},
        { Authorization: 'Bearer svk_wrong' },
        { Authorization: 'Basic c3ZrXzo=' },
        { Cookie: person.cookie },
      ] as Record<string, string>[])
        for (const path of ['/Users', '/Schemas', '/nothing']) {
          const reply = await scimRequest(service, 'GET', path, undefined, headers)
          expect(refused(reply)).to.equal('401')
          expect(reply.headers.get('www-authenticate')).to.equal('Bearer')
        }
    })

    it('rejects requests above the rate limit with Retry-After', async () => {
      let last = await scim.scim('GET', '/ServiceProviderConfig')
      for (let i = 0; i < 500 && last.status === 200; i++)
        last = await scim.scim('GET', '/ServiceProviderConfig')
      expect(refused(last)).to.equal('429')
      expect(Number(last.headers.get('retry-after'))).to.be.at.least(1)
    })
  })

  describe('Discovery', () => {
    it('SCIM-05 declares bulk, sorting, ETags and password changes unsupported', async () => {
      const { status, body, headers } = await scim.scim('GET', '/ServiceProviderConfig')
      expect(status).to.equal(200)
      expect(headers.get('content-type')).to.match(/^application\/scim\+json/)
      expect(body).to.deep.include({
        patch: { supported: true },
        bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
        filter: { supported: true, maxResults: 200 },
        changePassword: { supported: false },
        sort: { supported: false },
        etag: { supported: false },
      })
      expect(body.authenticationSchemes[0]).to.include({ type: 'oauthbearertoken', primary: true })
    })

    it('SCIM-01 returns resource types and schemas, as lists and individually', async () => {
      for (const [path, ids] of [
        ['/ResourceTypes', ['User', 'Group']],
        ['/Schemas', [USER, ENTERPRISE, GROUP]],
      ] as const) {
        const { body } = await scim.scim('GET', path)
        expect(body).to.deep.include({ schemas: [LIST], totalResults: ids.length })
        expect(body.Resources.map(({ id }: { id: string }) => id)).to.deep.equal(ids)
        for (const id of ids) expect((await scim.scim('GET', `${path}/${id}`)).body.id).to.equal(id)
        expect(refused(await scim.scim('GET', `${path}/constructor`))).to.equal('404')
        expect(refused(await scim.scim('GET', `${path}?filter=id%20eq%20%22User%22`))).to.equal('403')
      }
    })

    it('RFC 7643 §7 every attribute of a response is described by the schemas', async () => {
      const { Resources } = (await scim.scim('GET', '/Schemas')).body
      const known = new Map<string, { name: string; subAttributes?: { name: string }[] }[]>(
        Resources.map(({ id, attributes }: { id: string; attributes: [] }) => [id, attributes]),
      )
      const boss = await scim.user()
      const full = await scim.user({
        title: 'T',
        locale: 'en_GB',
        timezone: 'Europe/London',
        externalId: `x-${String(boss.id)}`,
        phoneNumbers: [{ value: '+44 20 7946 0000', type: 'work' }],
        [ENTERPRISE]: { department: 'D', employeeNumber: '1', manager: { value: boss.id } },
      })
      const check = (schema: string, value: Readonly<Record<string, unknown>>) => {
        for (const [name, each] of Object.entries(value)) {
          if (['schemas', 'id', 'externalId', 'meta', ENTERPRISE].includes(name)) continue
          const attribute = known.get(schema)?.find((a) => a.name === name)
          expect(attribute, name).not.to.equal(undefined)
          const values: readonly unknown[] = Array.isArray(each) ? each : [each]
          for (const part of values.flatMap((e) =>
            typeof e === 'object' && e !== null ? Object.keys(e) : [],
          ))
            expect(
              attribute?.subAttributes?.map((s) => s.name),
              `${name}.${part}`,
            ).to.include(part)
        }
      }
      check(USER, full)
      check(ENTERPRISE, full[ENTERPRISE])
      check(GROUP, await scim.group('Described', full.id))
      expect(full.locale).to.equal('en-GB')
    })
  })

  describe('Multi-valued attributes', () => {
    it('SCIM-01 RFC 7643 §2.4 a telephone number is primary unless the client says that it is not', async () => {
      const value = '+44 20 7946 0000'
      const said = async (primary: object) =>
        (await scim.user({ phoneNumbers: [{ value, type: 'work', ...primary }] })).phoneNumbers
      expect(await said({})).to.deep.equal([{ value, type: 'work', primary: true }])
      expect(await said({ primary: true })).to.deep.equal([{ value, type: 'work', primary: true }])

      const sent = [{ value, type: 'work', primary: false }]
      const user = await scim.user({ phoneNumbers: sent })
      expect(user.phoneNumbers).to.deep.equal(sent)
      const path = `/Users/${String(user.id)}`
      expect((await scim.scim('GET', path)).body.phoneNumbers).to.deep.equal(sent)
      const patch = async (...operations: object[]) =>
        (await scim.patch(path, ...operations)).body.phoneNumbers
      const other = '+44 20 7946 0001'
      expect(
        await patch({ op: 'replace', path: 'phoneNumbers[type eq "work"].value', value: other }),
      ).to.deep.equal([{ value: other, type: 'work', primary: false }])
      expect(
        await patch({ op: 'replace', path: 'phoneNumbers[type eq "work"].primary', value: true }),
      ).to.deep.equal([{ value: other, type: 'work', primary: true }])
      const home = { value, type: 'home', primary: true }
      expect(await patch({ op: 'add', path: 'phoneNumbers', value: [home] })).to.deep.equal([
        { value: other, type: 'work', primary: false },
      ])
      const put = await scim.scim('PUT', path, { userName: user.userName, phoneNumbers: sent })
      expect(put.body.phoneNumbers).to.deep.equal(sent)
      expect((await scim.scim('PUT', path, { userName: user.userName })).body).not.to.have.property(
        'phoneNumbers',
      )
      expect(
        await patch({ op: 'add', path: 'phoneNumbers', value: [{ value, type: 'work' }] }),
      ).to.deep.equal([{ value, type: 'work', primary: true }])
    })
  })

  describe('Unsupported features', () => {
    it('SCIM-05 returns 501 for Bulk, Me and searches by POST', async () => {
      for (const [method, path] of [
        ['POST', '/Bulk'],
        ['GET', '/Me'],
        ['PATCH', '/Me'],
        ['POST', '/.search'],
        ['POST', '/Users/.search'],
        ['POST', '/Groups/.search'],
      ] as const)
        expect(refused(await scim.scim(method, path, method === 'GET' ? undefined : {})), path).to.equal(
          '501',
        )
    })

    it('returns 404 for unknown paths and 405 with Allow for other methods', async () => {
      for (const path of ['/nothing', '/Users/a/b', '/', '/constructor', '/__proto__'])
        expect(refused(await scim.scim('GET', path)), path).to.equal('404')
      const reply = await scim.scim('DELETE', '/Users')
      expect(refused(reply)).to.equal('405')
      expect(reply.headers.get('allow')).to.equal('GET, POST')
    })

    it('SCIM-03 rejects other filters with invalidFilter, and ignores sorting', async () => {
      for (const filter of ['title eq "x"', 'userName sw "a"', 'userName eq "a" and active eq true'])
        expect(
          refused(await scim.scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)),
          filter,
        ).to.equal('400 invalidFilter')
      expect((await scim.scim('GET', '/Users?sortBy=userName&sortOrder=descending')).status).to.equal(200)
    })
  })

  describe('Bodies', () => {
    it('returns 400 for bodies that are not JSON, name a prototype, or have another type', async () => {
      for (const body of [
        '{',
        '[]',
        'null',
        '{"userName":"a","userName":"b"}',
        '{"__proto__":{"admin":true}}',
      ])
        expect(refused(await post('/Users', body)), body).to.equal('400 invalidSyntax')
      const text = await scim.scim('POST', '/Users', '{}', { 'Content-Type': 'text/plain' })
      expect(refused(text)).to.equal('400 invalidSyntax')
      const plain = { schemas: [USER], userName: 'json@example.com' }
      expect(
        (await scim.scim('POST', '/Users', plain, { 'Content-Type': 'application/json' })).status,
      ).to.equal(201)
    })

    it('returns 413 above 4 MiB', async () => {
      expect(refused(await user({ userName: 'a'.repeat(4 * 1024 * 1024) }))).to.equal('413')
    })

    it('applies the rules of users and groups to requests', async () => {
      for (const fields of [
        {},
        { userName: '' },
        { userName: 'no address' },
        { userName: 'a@example.com', emails: [{ value: 'not an address' }] },
        { userName: 'a@example.com', active: 'perhaps' },
        { userName: 'a@example.com', displayName: 'x'.repeat(201) },
        { userName: 'a@example.com', emails: 7 },
        { userName: { nested: true } },
      ])
        expect(refused(await user(fields)), JSON.stringify(fields).slice(0, 80)).to.equal('400 invalidValue')
      for (const displayName of ['', 'x'.repeat(101), undefined])
        expect(refused(await post('/Groups', { schemas: [GROUP], displayName }))).to.equal('400 invalidValue')
    })
  })

  describe('Lists', () => {
    it('SCIM-04 returns at most 200, none for count=0, and starts at 1', async () => {
      await scim.user()
      const { body: none } = await scim.scim('GET', '/Users?count=0')
      expect(none).to.deep.include({ Resources: [], itemsPerPage: 0 })
      expect(none.totalResults).to.be.above(0)
      expect((await scim.scim('GET', '/Users?count=1000&startIndex=-5')).body.startIndex).to.equal(1)
      expect((await scim.scim('GET', '/Users?count=-3')).body.itemsPerPage).to.equal(0)
      expect((await scim.scim('GET', '/Groups?count=0')).body.Resources).to.deep.equal([])
      expect((await scim.scim('GET', '/Users?startIndex=100000')).body.Resources).to.deep.equal([])
      expect(refused(await scim.scim('GET', '/Users?count=many'))).to.equal('400 invalidValue')
    })

    it('RFC 7644 §3.9 returns the requested attributes, and always id and schemas', async () => {
      const { id } = await scim.user({ title: 'T', [ENTERPRISE]: { department: 'D', employeeNumber: '1' } })
      const path = `/Users/${String(id)}`
      const keys = async (query: string) =>
        Object.keys((await scim.scim('GET', `${path}?${query}`)).body).sort()
      expect(await keys('attributes=userName')).to.deep.equal(['id', 'schemas', 'userName'])
      const parts = (
        await scim.scim('GET', `${path}?attributes=NAME.givenName,emails.value,${ENTERPRISE}:department`)
      ).body
      expect(parts.name).to.deep.equal({ givenName: 'Given' })
      expect(Object.keys(parts.emails[0])).to.deep.equal(['value'])
      expect(parts[ENTERPRISE]).to.deep.equal({ department: 'D' })
      expect(
        await keys('excludedAttributes=groups,id,meta,name,emails,displayName,active,title'),
      ).to.deep.equal(['id', 'schemas', ENTERPRISE, 'userName'].sort())
      const group = await scim.group('Selected', id)
      const list = (await scim.scim('GET', '/Groups?excludedAttributes=members&count=200')).body.Resources
      expect(list.find((g: { id: string }) => g.id === group.id)).not.to.have.property('members')
      const shown = (await scim.scim('GET', '/Groups?attributes=members&count=200')).body.Resources
      expect(shown.find((g: { id: string }) => g.id === group.id).members).to.have.length(1)
    })

    it('shows users created elsewhere, with both parts of their names', async () => {
      const { userId } = await service.person({ name: 'Prince', email: 'prince@example.com' })
      const { body } = await scim.scim(
        'GET',
        `/Users?filter=${encodeURIComponent('userName eq "PRINCE@example.com"')}`,
      )
      expect(body.Resources[0]).to.deep.include({
        id: userId,
        userName: 'prince@example.com',
        name: { formatted: 'Prince', givenName: 'Prince', familyName: 'Prince' },
      })
    })
  })
})
