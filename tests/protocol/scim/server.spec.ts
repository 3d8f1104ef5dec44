import { expect } from 'chai'
import type { Role } from '../../../domain/roles.ts'
import { groupCommands } from '../../../adapters/commands/groups.ts'
import { noLimits } from '../../../adapters/http/rate-limit-rules.ts'
import { apiKey } from '../../support/api-keys.ts'
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
} from '../../support/scim.ts'
import { system, testPlace, testService, type TestPlace, type TestService } from '../../support/service.ts'

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
  // Each test has a bucket of its own.
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

    it('SCIM-02 asks for the scope scim and the role of a user administrator', async () => {
      expect(await withKey(['user_admin'], ['scim'])).to.equal('200')
      expect(await withKey(['global_admin'], ['scim', 'api'])).to.equal('200')
      expect(await withKey(['user_admin'], ['api'])).to.equal('403')
      expect(await withKey(['app_admin', 'auditor'], ['scim'])).to.equal('403')
      expect(await withKey([], ['scim'])).to.equal('403')
    })

    it('SCIM-02 answers 401 without a key that holds, for every path', async () => {
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

    it('refuses more than the rate limit with Retry-After', async () => {
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

    it('SCIM-01 tells of resource types and schemas, all and one', async () => {
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

    it('RFC 7643 §7 every attribute of an answer is one that the schemas tell of', async () => {
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
          for (const part of ([each].flat() as unknown[]).flatMap((e) =>
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

  describe('What is not supported', () => {
    it('SCIM-05 answers 501 to Bulk, Me and searches by POST', async () => {
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

    it('answers 404 for unknown paths and 405 with Allow for other methods', async () => {
      for (const path of ['/nothing', '/Users/a/b', '/', '/constructor', '/__proto__'])
        expect(refused(await scim.scim('GET', path)), path).to.equal('404')
      const reply = await scim.scim('DELETE', '/Users')
      expect(refused(reply)).to.equal('405')
      expect(reply.headers.get('allow')).to.equal('GET, POST')
    })

    it('SCIM-03 refuses other filters with invalidFilter, and ignores sorting', async () => {
      for (const filter of ['title eq "x"', 'userName sw "a"', 'userName eq "a" and active eq true'])
        expect(
          refused(await scim.scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)),
          filter,
        ).to.equal('400 invalidFilter')
      expect((await scim.scim('GET', '/Users?sortBy=userName&sortOrder=descending')).status).to.equal(200)
    })
  })

  describe('Bodies', () => {
    it('answers 400 for what is not JSON, names a prototype, or is of another type', async () => {
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

    it('answers 413 beyond 4 MiB', async () => {
      expect(refused(await user({ userName: 'a'.repeat(4 * 1024 * 1024) }))).to.equal('413')
    })

    it('holds what it is told to the rules of people and groups', async () => {
      for (const fields of [
        {},
        { userName: '' },
        { userName: 'no address' },
        { userName: 'a@example.com', emails: [{ value: 'not an address' }] },
        { userName: 'a@example.com', active: 'perhaps' },
        { userName: 'a@example.com', timezone: 'Mars/Olympus' },
        { userName: 'a@example.com', locale: 'not a language' },
        { userName: 'a@example.com', displayName: 'x'.repeat(201) },
        { userName: 'a@example.com', emails: 7 },
        { userName: 'a@example.com', [ENTERPRISE]: { manager: { value: 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV' } } },
        { userName: { nested: true } },
      ])
        expect(refused(await user(fields)), JSON.stringify(fields).slice(0, 80)).to.equal('400 invalidValue')
      for (const displayName of ['', 'x'.repeat(101), undefined])
        expect(refused(await post('/Groups', { schemas: [GROUP], displayName }))).to.equal('400 invalidValue')
    })
  })

  describe('Lists', () => {
    it('SCIM-04 gives 200 at most, none for count=0, and begins at 1', async () => {
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

    it('RFC 7644 §3.9 gives the attributes asked for, and always id and schemas', async () => {
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

    it('shows people made elsewhere, with both parts of their names', async () => {
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

  describe('People', () => {
    it('creates people invited and visible, or suspended when they are not active', async () => {
      const on = await scim.user()
      const off = await scim.user({ active: false })
      expect(off.active).to.equal(false)
      const admin = await service.person({}, ['user_admin'])
      const status = async (id: string) => (await service.api('GET', `/users/${id}`, { as: admin })).body
      expect(await status(on.id)).to.include({ status: 'invited', source: 'scim' })
      expect(await status(off.id)).to.include({ status: 'suspended', source: 'scim' })
      expect(
        (await scim.patch(`/Users/${String(off.id)}`, { op: 'replace', path: 'active', value: true })).status,
      ).to.equal(200)
      expect((await status(off.id)).status).to.equal('invited')
    })

    it('keeps user names, addresses and external ids unique, whatever their letter case', async () => {
      const one = await scim.user({
        userName: 'unique',
        externalId: 'E1',
        emails: [{ value: 'unique@example.com' }],
      })
      const clash = (fields: object) => user({ userName: 'other@example.com', ...fields })
      expect(refused(await clash({ userName: 'UNIQUE', emails: [{ value: 'o@example.com' }] }))).to.equal(
        '409 uniqueness',
      )
      expect(refused(await clash({ emails: [{ value: 'UNIQUE@example.com' }] }))).to.equal('409 uniqueness')
      expect(refused(await clash({ externalId: 'E1' }))).to.equal('409 uniqueness')
      expect((await clash({ externalId: 'e1' })).status).to.equal(201)
      await service.person({ email: 'known@example.com' })
      expect(
        refused(await clash({ userName: 'known@example.com', emails: [{ value: 'k2@example.com' }] })),
      ).to.equal('409 uniqueness')
      const same = await scim.patch(`/Users/${String(one.id)}`, {
        op: 'replace',
        path: 'userName',
        value: 'Unique',
      })
      expect(same.body.userName).to.equal('Unique')
    })

    it('carries out all operations of a PATCH, or none', async () => {
      const taken = await scim.user({ externalId: 'taken' })
      const { id } = await scim.user({ title: 'Before' })
      const path = `/Users/${String(id)}`
      const before = (await scim.scim('GET', path)).body
      const change = { op: 'replace', path: 'title', value: 'After' }
      for (const wrong of [
        { op: 'replace', path: 'active', value: 'perhaps' },
        { op: 'replace', path: 'externalId', value: taken.externalId },
        { op: 'replace', path: 'unheardOf', value: 1 },
        { op: 'remove', path: 'userName' },
      ])
        expect(
          (await scim.patch(path, change, { op: 'replace', path: 'active', value: false }, wrong)).status,
        ).to.be.within(400, 409)
      expect((await scim.scim('GET', path)).body).to.deep.equal(before)
    })

    it('changes nothing when nothing differs', async () => {
      const created = await scim.user()
      const path = `/Users/${String(created.id)}`
      expect((await scim.scim('PUT', path, created)).body).to.deep.equal(created)
      expect((await scim.patch(path, { op: 'replace', path: 'active', value: true })).body).to.deep.equal(
        created,
      )
    })

    it('leaves accounts with a role to directories that act for a global administrator', async () => {
      const admin = await service.person({ email: 'admin@example.com' }, ['helpdesk_admin'])
      const path = `/Users/${admin.userId}`
      for (const op of [
        { op: 'replace', path: 'active', value: false },
        { op: 'replace', path: 'emails[type eq "work"].value', value: 'mine@example.com' },
        { op: 'replace', path: 'userName', value: 'mine' },
      ])
        expect(
          refused(await scim.patch(path, { op: 'replace', path: 'title', value: 'X' }, op)),
          op.path,
        ).to.equal('403')
      expect(refused(await scim.scim('DELETE', path))).to.equal('403')
      expect((await scim.scim('GET', path)).body)
        .to.include({ active: true })
        .and.not.have.property('title')
      expect((await scim.patch(path, { op: 'replace', path: 'title', value: 'X' })).status).to.equal(200)
      const above = await directory(service, ['global_admin'])
      expect((await above.patch(path, { op: 'replace', path: 'active', value: false })).body.active).to.equal(
        false,
      )
    })

    it('keeps the last active global administrator', async () => {
      const lonely = await testService()
      try {
        const above = await directory(lonely, ['global_admin'])
        const { userId } = await lonely.person({}, ['global_admin'])
        const off = await above.patch(`/Users/${userId}`, { op: 'replace', path: 'active', value: false })
        expect(refused(off)).to.equal('409')
        expect(refused(await above.scim('DELETE', `/Users/${userId}`))).to.equal('409')
      } finally {
        await lonely.stop()
      }
    })

    it('ends the sessions of whoever is made inactive before it answers', async () => {
      const person = await service.person()
      expect((await service.api('GET', '/me', { as: person })).status).to.equal(200)
      await scim.patch(`/Users/${person.userId}`, { op: 'replace', path: 'active', value: false })
      expect((await service.api('GET', '/me', { as: person })).status).to.equal(401)
    })
  })

  describe('Groups', () => {
    it('keeps memberships by hand, whatever the directory replaces', async () => {
      const [byHand, byScim] = [await scim.user(), await scim.user()]
      const group = await scim.group('Mixed', byScim.id)
      const path = `/Groups/${String(group.id)}`
      await groupCommands(service.core.services).addMember(group.id, byHand.id, undefined, system)
      const ids = ({ body }: ScimReply): string[] =>
        body.members.map(({ value }: { value: string }) => value).sort()
      expect(ids(await scim.scim('GET', path))).to.deep.equal([byHand.id, byScim.id].sort())
      expect(ids(await scim.scim('PUT', path, { displayName: 'Mixed', members: [] }))).to.deep.equal([
        byHand.id,
      ])
      expect(
        ids(await scim.patch(path, { op: 'remove', path: `members[value eq "${String(byHand.id)}"]` })),
      ).to.deep.equal([byHand.id])
      const all = await scim.scim('PUT', path, { displayName: 'Mixed', members: [{ value: byHand.id }] })
      expect(ids(all)).to.deep.equal([byHand.id])
      await groupCommands(service.core.services).removeMember(group.id, byHand.id, system)
      expect(ids(await scim.scim('GET', path))).to.deep.equal([])
    })

    it('leaves the members of a rule to the rule', async () => {
      const { groupId } = await groupCommands(service.core.services).create(
        {
          name: 'By rule',
          source: 'local',
          rule: { match: 'all', conditions: [{ attribute: 'title', operator: 'eq', value: 'Ruled' }] },
        },
        system,
      )
      const { id } = await scim.user({ title: 'Ruled' })
      const path = `/Groups/${groupId}`
      expect((await scim.scim('GET', path)).body.members).to.have.length(1)
      const remove = { op: 'remove', path: `members[value eq "${String(id)}"]` }
      expect(refused(await scim.patch(path, remove))).to.equal('400 mutability')
      const put = await scim.scim('PUT', path, { displayName: 'By rule, renamed', members: [] })
      expect(put.body).to.deep.include({ displayName: 'By rule, renamed' })
      expect(put.body.members).to.have.length(1)
    })

    it('refuses a name that is taken, an unknown member and a group in use, changing nothing', async () => {
      const { id: userId } = await scim.user()
      const [one, two] = [await scim.group('Taken'), await scim.group('Free')]
      expect(refused(await post('/Groups', { displayName: 'TAKEN' }))).to.equal('409 uniqueness')
      const path = `/Groups/${String(two.id)}`
      const add = { op: 'add', path: 'members', value: [{ value: userId }] }
      expect(
        refused(await scim.patch(path, add, { op: 'replace', path: 'displayName', value: one.displayName })),
      ).to.equal('409 uniqueness')
      const unknown = { op: 'add', path: 'members', value: [{ value: 'usr_unknown' }] }
      expect(
        refused(await scim.patch(path, { op: 'replace', path: 'displayName', value: 'New' }, add, unknown)),
      ).to.equal('400 invalidValue')
      expect((await scim.scim('GET', path)).body).to.deep.equal(two)
      expect(
        refused(await post('/Groups', { displayName: 'With nobody', members: [{ value: 'x' }] })),
      ).to.equal('400 invalidValue')
      expect(
        (await scim.scim('GET', `/Groups?filter=${encodeURIComponent('displayName eq "With nobody"')}`)).body
          .totalResults,
      ).to.equal(0)
    })
  })
})
