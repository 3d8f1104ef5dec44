/**
 * The checks of independent checkers of SCIM servers, under their own names: scim2-tester (0.6), scim-sanity (0.7),
 * the compliance tests of Apache SCIMple, SCIM Sandbox's validator, suvera's compliance utility and WSO2's suite. Each
 * check runs once; common ones are listed under one of the tools.
 */
import { expect } from 'chai'
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
import { testService, type TestService } from '../../support/service/service.ts'

type Checks = Readonly<Record<string, () => Promise<void>>>
interface Listed {
  readonly id: string
  readonly name: string
}
interface Described {
  readonly name: string
  readonly type: string
  readonly mutability: string
  readonly returned: string
  readonly uniqueness: string
  readonly required: boolean
  readonly caseExact: boolean
  readonly multiValued: boolean
  readonly referenceTypes?: readonly string[]
  readonly subAttributes?: readonly Described[]
}

describe('Independent SCIM checkers', function () {
  this.timeout(60_000)
  let service: TestService
  let scim: Directory
  let n = 0
  before(async () => {
    service = await testService()
    scim = await directory(service)
  })
  after(() => service.stop())

  const got = async (path: string, wanted = 200): Promise<ScimReply['body']> => {
    const { status, body, headers } = await scim.scim('GET', path)
    expect(status, `${path} ${JSON.stringify(body)}`).to.equal(wanted)
    expect(headers.get('content-type')).to.match(/^application\/scim\+json/)
    return body
  }
  const refused = (reply: ScimReply, status: number, scimType?: string): void => {
    expect(reply.status, JSON.stringify(reply.body)).to.equal(status)
    expect(reply.headers.get('content-type')).to.match(/^application\/scim\+json/)
    expect(reply.body).to.deep.include({ schemas: [ERROR], status: String(status) })
    expect(reply.body.scimType).to.equal(scimType)
    expect(reply.body.detail).to.be.a('string').and.not.equal('')
  }
  const filtered = (type: string, filter: string) =>
    scim.scim('GET', `/${type}?filter=${encodeURIComponent(filter)}`)
  const unique = () => `checked-${String(++n)}`
  const located = ({ body, headers }: ScimReply): void => {
    expect(headers.get('location')).to.equal(body.meta.location)
    expect(headers.get('content-location')).to.equal(body.meta.location)
  }
  const allOf = (attributes: readonly Described[]): readonly Described[] =>
    attributes.flatMap((each) => [each, ...allOf(each.subAttributes ?? [])])

  const scim2Tester: Checks = {
    'service_provider_config_endpoint, query_all_resource_types, query_all_schemas': async () => {
      for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas']) {
        const { meta, schemas } = await got(path)
        expect(schemas).to.have.length(1)
        if (meta !== undefined) expect(meta.location).to.match(/\/scim\/v2\/ServiceProviderConfig$/)
      }
    },
    'query_resource_type_by_id, access_schema_by_id, resource_types_schema_validation': async () => {
      for (const path of ['/ResourceTypes', '/Schemas'])
        for (const one of (await got(path)).Resources) {
          expect(await got(`${path}/${String(one.id)}`)).to.deep.equal(one)
          if (path === '/ResourceTypes')
            for (const id of [one.schema, ...one.schemaExtensions.map((e: { schema: string }) => e.schema)])
              expect((await got(`/Schemas/${String(id)}`)).id).to.equal(id)
        }
    },
    'access_invalid_resource_type, access_invalid_schema, random_url': async () => {
      for (const at of ['/ResourceTypes', '/Schemas', ''])
        refused(await scim.scim('GET', `${at}/2b0f2e7c-5c3e-4c0e-9a60-0a5f4e1d7c11`), 404)
    },
    'service_provider_config_endpoint_methods, resource_types_…, schemas_endpoint_methods': async () => {
      for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas'])
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) refused(await scim.scim(method, path), 405)
    },
    'object_creation, from nothing but what the schemas require': async () => {
      const { attributes } = (await got(`/Schemas/${USER}`)) as { attributes: Described[] }
      const required = attributes.filter((each) => each.required).map(({ name }) => name)
      expect(required).to.deep.equal(['userName', 'emails'])
      const { status } = await scim.scim('POST', '/Users', {
        schemas: [USER, ENTERPRISE],
        userName: unique(),
        emails: [{ value: `${unique()}@example.com` }],
      })
      expect(status).to.equal(201)
    },
    'object_creation and check_add_attribute, from what the schemas suggest': async () => {
      const { id, meta } = await scim.user()
      const { attributes } = await got(`/Schemas/${USER}`)
      for (const name of ['locale', 'preferredLanguage', 'timezone'])
        for (const value of attributes.find((each: Listed) => each.name === name).canonicalValues) {
          const path = `/Users/${String(id)}`
          expect((await scim.patch(path, { op: 'add', path: name, value })).body[name]).to.equal(value)
          expect((await got(path))[name]).to.equal(value)
        }
      expect(meta.resourceType).to.equal('User')
    },
    'check_add_attribute of a manager by the address alone': async () => {
      const [boss, { id }] = [await scim.user(), await scim.user()]
      const path = `${ENTERPRISE}:manager`
      const value = { $ref: boss.meta.location }
      const { body } = await scim.patch(`/Users/${String(id)}`, { op: 'add', path, value })
      expect(body[ENTERPRISE].manager).to.include({ value: boss.id, $ref: boss.meta.location })
    },
    'object_query_with_attributes, object_list_with_attributes': async () => {
      const { id } = await scim.user({ externalId: unique() })
      for (const path of [`/Users/${String(id)}`, '/Users?count=200']) {
        const one = async (query: string) => {
          const body = await got(`${path}${path.includes('?') ? '&' : '?'}${query}`)
          return body.Resources?.find((each: Listed) => each.id === id) ?? body
        }
        expect(await one('attributes=externalId')).to.have.all.keys('schemas', 'id', 'externalId')
        expect(await one(`attributes=${USER}:userName`)).to.have.all.keys('schemas', 'id', 'userName')
        expect(await one('attributes=emails%5Btype+eq+%22work%22%5D')).to.have.all.keys(
          'schemas',
          'id',
          'emails',
        )
        expect(await one('excludedAttributes=name'))
          .to.include({ id })
          .and.not.have.property('name')
      }
    },
    'check_remove_attribute of required attributes': async () => {
      const { id } = await scim.user()
      const group = await scim.group(unique())
      const remove = (path: string) => ({ op: 'remove', path })
      refused(await scim.patch(`/Users/${String(id)}`, remove('userName')), 400, 'mutability')
      refused(await scim.patch(`/Groups/${String(group.id)}`, remove('displayName')), 400, 'mutability')
      refused(await scim.patch(`/Users/${String(id)}`, remove('id')), 400, 'mutability')
    },
  }

  const scimSanity: Checks = {
    'User CRUD Lifecycle': async () => {
      const sent = { schemas: [USER], userName: `${unique()}@example.com`, displayName: 'Sanity' }
      const created = await scim.scim('POST', '/Users', { ...sent, active: true })
      expect(created.status).to.equal(201)
      located(created)
      const path = `/Users/${String(created.body.id)}`
      const { meta: _, ...rest } = created.body
      const put = await scim.scim('PUT', path, { ...rest, displayName: 'Updated' })
      expect(put.status).to.equal(200)
      expect((await got(path)).displayName).to.equal('Updated')
      await scim.patch(path, { op: 'replace', path: 'active', value: false })
      expect((await got(path)).active).to.equal(false)
      const deleted = await scim.scim('DELETE', path)
      expect([deleted.status, deleted.body]).to.deep.equal([204, undefined])
      refused(await scim.scim('GET', path), 404)
    },
    'Error Handling': async () => {
      refused(await scim.scim('GET', '/Users/nonexistent-id-000000'), 404)
      refused(await scim.scim('POST', '/Users', { not: 'a scim resource' }), 400, 'invalidValue')
      refused(await scim.scim('POST', '/Users', { schemas: [USER] }), 400, 'invalidValue')
    },
    Search: async () => {
      await scim.user()
      const page = await got('/Users?startIndex=1&count=1')
      expect(page).to.deep.include({ schemas: [LIST], startIndex: 1, itemsPerPage: 1 })
      expect((await got('/Users?count=0')).Resources).to.deep.equal([])
    },
  }

  const scimple: Checks = {
    'Create user with realistic values, Update User, Deactivate user with PATCH': async () => {
      const userName = `${unique()}@example.com`
      const sent = { schemas: [USER], userName, name: { givenName: 'G', familyName: 'F' }, active: true }
      const created = await scim.scim('POST', '/Users', sent)
      located(created)
      const path = `/Users/${String(created.body.id)}`
      located(await scim.scim('GET', path))
      refused(await scim.scim('POST', '/Users', sent), 409, 'uniqueness')
      const phoneNumbers = [{ value: '555-555-5555', type: 'work' }]
      const put = await scim.scim('PUT', path, { ...sent, phoneNumbers })
      located(put)
      expect(put.body.phoneNumbers[0]).to.include(phoneNumbers[0])
      const off = await scim.patch(path, { op: 'replace', value: { active: false } })
      located(off)
      expect(off.body.active).to.equal(false)
    },
    'Create group with member, Update Group, Update Group with PATCH': async () => {
      const { id } = await scim.user()
      const displayName = unique()
      const sent = { schemas: [GROUP], displayName, members: [{ value: id, display: 'anything' }] }
      const created = await scim.scim('POST', '/Groups', sent)
      located(created)
      expect(created.body.members[0].value).to.equal(id)
      const path = `/Groups/${String(created.body.id)}`
      located(await scim.scim('GET', path))
      const off = await scim.patch(path, { op: 'remove', path: `members[value eq "${String(id)}"]` })
      located(off)
      expect(off.body.members).to.deep.equal([])
      located(await scim.scim('PUT', path, { schemas: [GROUP], displayName, members: [] }))
    },
  }

  const sandbox: Checks = {
    'A2: attributes with all their characteristics (RFC 7643 §7)': async () => {
      for (const { id, attributes } of (await got('/Schemas')).Resources as {
        id: string
        attributes: Described[]
      }[])
        for (const each of allOf(attributes)) {
          const where = `${id}:${each.name}`
          expect(each.type, where).to.be.oneOf(['string', 'boolean', 'complex', 'reference'])
          expect(each.mutability, where).to.be.oneOf(['readOnly', 'readWrite', 'immutable', 'writeOnly'])
          expect(each.returned, where).to.be.oneOf(['always', 'never', 'default', 'request'])
          expect(each.uniqueness, where).to.be.oneOf(['none', 'server', 'global'])
          for (const flag of [each.multiValued, each.required, each.caseExact])
            expect(flag, where).to.be.a('boolean')
          expect(each.referenceTypes !== undefined, where).to.equal(each.type === 'reference')
          expect(each.subAttributes !== undefined, where).to.equal(each.type === 'complex')
        }
    },
    'USR_06, PAT_09: PUT with a different id is ignored, PATCH of id is refused': async () => {
      const { id, userName } = await scim.user()
      const put = await scim.scim('PUT', `/Users/${String(id)}`, { userName, id: 'usr_other', groups: [] })
      expect([put.status, put.body.id]).to.deep.equal([200, id])
      const path = `/Users/${String(id)}`
      refused(await scim.patch(path, { op: 'replace', path: 'id', value: 'x' }), 400, 'mutability')
    },
    'PAT_08: PATCH with invalid path, and without a match for its filter': async () => {
      const path = `/Users/${String((await scim.user()).id)}`
      const replace = (at: string) => scim.patch(path, { op: 'replace', path: at, value: 'x' })
      refused(await replace('nonExistentAttr'), 400, 'invalidPath')
      refused(await replace('emails[value eq "nobody@example.com"].type'), 400, 'noTarget')
    },
    'FLT_10, FLT_12, FLT_25, FLT_26, FLT_28: filters': async () => {
      refused(await filtered('Users', 'not a valid !!! filter [['), 400, 'invalidFilter')
      const { id, userName } = await scim.user({ userName: `Mixed.${unique()}@example.com` })
      for (const filter of [
        `userName eq "${String(userName).toUpperCase()}"`,
        `${USER}:userName eq "${String(userName)}"`,
        `UserName EQ "${String(userName)}"`,
      ])
        expect((await filtered('Users', filter)).body.Resources[0].id, filter).to.equal(id)
    },
    'SEC_01, SEC_02: Request without and with an invalid token': async () => {
      for (const headers of [{}, { Authorization: 'Bearer INVALID_TOKEN_12345' }] as Record<
        string,
        string
      >[]) {
        const reply = await scimRequest(service, 'GET', '/Users', undefined, headers)
        refused(reply, 401)
        expect(reply.headers.get('www-authenticate')).to.include('Bearer')
      }
    },
    'NEG_03 to NEG_09: missing resources, and invalid bodies': async () => {
      const at = '/Users/non-existent-id-00000000'
      const userName = `${unique()}@example.com`
      refused(await scim.scim('DELETE', at), 404)
      refused(await scim.scim('PUT', at, { schemas: [USER], userName }), 404)
      refused(await scim.patch(at, { op: 'replace', path: 'active', value: false }), 404)
      refused(await scim.scim('POST', '/Users', '{this is not valid json!!!'), 400, 'invalidSyntax')
      refused(await scim.scim('POST', '/Users', ''), 400, 'invalidSyntax')
    },
    'ids with odd characters, letters of all scripts': async () => {
      for (const id of ['%00', '%', '%F0%9F%92%A9', "'--", 'a'.repeat(3000), '..%2F..'])
        refused(await scim.scim('GET', `/Users/${id}`), 404)
      const displayName = 'Žofie 山田 🦊'
      const { id, userName } = await scim.user({ userName: `žofie-${unique()}@example.com`, displayName })
      expect((await filtered('Users', `userName eq "${String(userName)}"`)).body.Resources[0]).to.include({
        id,
        displayName,
      })
    },
  }

  /** RFC 7643 and RFC 7644 leave these to the server, which declares or documents what it does. */
  const unsupported: Checks = {
    'filters by other operators, and search by POST (FLT_02 to FLT_07, FilterTest, SearchTests)':
      async () => {
        for (const filter of [
          'userName sw "a"',
          'name.familyName co "Stark"',
          'externalId pr',
          'meta.lastModified gt "2000-01-01T00:00:00Z"',
          'userName eq "a" or userName eq "b"',
          'not (active eq false)',
          'userName eq unquoted',
        ])
          refused(await filtered('Users', filter), 400, 'invalidFilter')
        refused(await scim.scim('POST', '/Users/.search', { filter: 'userName eq "a"' }), 501)
      },
    '/Me and /Bulk (USR_11, MeTests, BulkTests)': async () => {
      refused(await scim.scim('GET', '/Me'), 501)
      refused(await scim.scim('POST', '/Bulk', {}), 501)
    },
    'ETags (SEC_05, SEC_08, SEC_09)': async () => {
      const { id } = await scim.user()
      const { status, headers } = await scim.scim('GET', `/Users/${String(id)}`, undefined, {
        'If-None-Match': '*',
      })
      expect([status, headers.get('etag')]).to.deep.equal([200, null])
    },
    'more addresses than one (USR_02, PAT_05 to PAT_07)': async () => {
      const [work, home] = [`${unique()}@example.com`, `${unique()}@example.com`]
      const emails = [
        { value: home, type: 'home' },
        { value: work, type: 'work', primary: true },
      ]
      expect((await scim.user({ emails })).emails).to.deep.equal([
        { value: work, type: 'work', primary: true },
      ])
    },
    'unknown members (PATCH /Groups/{id} add member of scim-sanity)': async () => {
      const { id } = await scim.group(unique())
      const value = [{ value: 'fake-member-id' }]
      const reply = await scim.patch(`/Groups/${String(id)}`, { op: 'add', path: 'members', value })
      refused(reply, 400, 'invalidValue')
    },
    'a name, a display name and active removed (check_remove_attribute)': async () => {
      const { id, displayName } = await scim.user({ displayName: 'Stays' })
      const remove = ['name', 'displayName', 'active'].map((path) => ({ op: 'remove', path }))
      const { body } = await scim.patch(`/Users/${String(id)}`, ...remove)
      expect(body).to.include({ displayName, active: true })
      expect(body.name).to.include.all.keys('givenName', 'familyName')
    },
  }

  for (const [source, checks] of Object.entries({
    'scim2-tester': scim2Tester,
    'scim-sanity': scimSanity,
    'Apache SCIMple': scimple,
    'SCIM Sandbox': sandbox,
    'Requested features that are not supported': unsupported,
  }))
    describe(source, () => {
      for (const [name, check] of Object.entries(checks)) it(`SCIM-01 ${name}`, check)
    })
})
