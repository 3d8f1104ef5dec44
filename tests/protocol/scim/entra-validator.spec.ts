/**
 * What Microsoft's SCIM Validator and the tests for its application gallery check, under their own names. Both
 * invent values: random letters as the locale, and unknown managers.
 */
import { expect } from 'chai'
import {
  directory,
  ENTERPRISE,
  ERROR,
  GROUP,
  LIST,
  USER,
  type Directory,
  type ScimReply,
} from '../../support/scim/scim.ts'
import { testService, type TestService } from '../../support/service/service.ts'

type Checks = Readonly<Record<string, () => Promise<void>>>

describe("Microsoft's SCIM Validator", function () {
  this.timeout(60_000)
  let service: TestService
  let scim: Directory
  let n = 0
  before(async () => {
    service = await testService()
    scim = await directory(service)
  })
  after(() => service.stop())

  const person = (fields: object = {}) => {
    const name = `nickolas.bernhard${String(++n)}`
    return {
      userName: `${name}@robel.example`,
      active: true,
      displayName: 'JWGAQIENDVEM',
      title: 'FQXEKTXNBKMB',
      emails: [{ type: 'work', value: `${name}@russel.example`, primary: true }],
      preferredLanguage: 'el-CY',
      name: {
        givenName: 'Stefanie',
        familyName: 'Rollin',
        formatted: 'Omari',
        middleName: 'Jayce',
        honorificPrefix: 'Chesley',
        honorificSuffix: 'Hulda',
      },
      addresses: [{ type: 'work', streetAddress: '3008 Jarret Rue', primary: true, country: 'Estonia' }],
      phoneNumbers: [
        { type: 'work', value: '45-955-7623', primary: true },
        { type: 'mobile', value: '45-955-7624' },
        { type: 'fax', value: '45-955-7625' },
      ],
      [ENTERPRISE]: {
        employeeNumber: 'PAUCKSIOCHXT',
        department: 'BRYTQSAMNUFV',
        costCenter: 'OEBKZAUQECWO',
        organization: 'JPIYQKLDOKUE',
        division: 'KZNWIHJCWDKZ',
        manager: { value: 'CYKQWKOFNTWC' },
      },
      roles: [{ primary: 'True', display: 'HRHFBMXLZSTZ', value: 'RTSKUXALBPLQ', type: 'VMIYJTGCMNLT' }],
      userType: 'PHMUOBTAQGGR',
      nickName: 'WIULSWICPERK',
      locale: 'NNRDFXPHOXUY',
      timezone: 'America/Guyana',
      profileUrl: 'MFGMUGTYPBKA',
      schemas: [USER, ENTERPRISE],
      ...fields,
    }
  }
  const group = () => ({
    displayName: `VGTYIGGWFQIA${String(++n)}`,
    externalId: `895c1bcf-${String(n)}`,
    schemas: [GROUP],
  })
  const ok = ({ status, body }: ScimReply, wanted: number): ScimReply['body'] => {
    expect(status, JSON.stringify(body)).to.equal(wanted)
    return body
  }
  const created = async (fields: object = {}) => ok(await scim.scim('POST', '/Users', person(fields)), 201)
  const createdGroup = async () => ok(await scim.scim('POST', '/Groups', group()), 201)
  const search = async (type: string, filter: string, more = '') =>
    ok(await scim.scim('GET', `/${type}?${more}filter=${encodeURIComponent(filter)}`), 200)
  const patched = async ({ meta }: { meta: { location: string } }, ...operations: readonly unknown[]) => {
    const path = meta.location.slice(`${service.publicUrl}/scim/v2`.length)
    const answered = ok(await scim.patch(path, ...operations), 200)
    const read = ok(await scim.scim('GET', path), 200)
    expect(read).to.deep.equal(answered)
    return read
  }

  const users: Checks = {
    'POST /Users: Create a new User': async () => {
      const sent = person()
      ok(await scim.scim('POST', '/Users', sent), 201)
      const { totalResults, Resources } = await search('Users', `userName eq "${sent.userName}"`)
      expect(totalResults).to.equal(1)
      const { userName, displayName, title, active, emails, preferredLanguage, timezone } = sent
      expect(Resources[0]).to.deep.include({
        userName,
        displayName,
        title,
        active,
        emails,
        preferredLanguage,
        timezone,
        phoneNumbers: sent.phoneNumbers.slice(0, 1),
      })
      expect(Resources[0].name).to.include({ givenName: 'Stefanie', familyName: 'Rollin' })
      expect(Resources[0][ENTERPRISE]).to.deep.equal({
        employeeNumber: 'PAUCKSIOCHXT',
        department: 'BRYTQSAMNUFV',
      })
    },
    'POST /Users: Create a duplicate User': async () => {
      const sent = person()
      ok(await scim.scim('POST', '/Users', sent), 201)
      expect(ok(await scim.scim('POST', '/Users', sent), 409)).to.deep.include({
        schemas: [ERROR],
        scimType: 'uniqueness',
      })
    },
    'GET /Users filter: existing, in another case, non-existing': async () => {
      const { id, userName } = await created()
      for (const name of [userName, userName.toUpperCase()])
        expect((await search('Users', `userName eq "${String(name)}"`)).Resources[0].id).to.equal(id)
      expect(await search('Users', 'userName eq "nonexistente997dccbd8b7@huel.example"')).to.deep.include({
        schemas: [LIST],
        totalResults: 0,
        Resources: [],
      })
    },
    'PATCH /Users/Id: Patch User - Replace Attributes Verbose Request': async () => {
      const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
      const after = await patched(
        await created(),
        replace('active', true),
        replace('displayName', 'GTNCXBFJAYYF'),
        replace('title', 'NRMIMLXXPFCQ'),
        replace('emails[type eq "work"].value', 'art@botsford.example'),
        replace('emails[type eq "work"].primary', true),
        replace('preferredLanguage', 'nus-SS'),
        replace('name.givenName', 'Jaqueline'),
        replace('name.familyName', 'Jaylin'),
        replace('name.formatted', 'Alphonso'),
        replace('name.middleName', 'Burley'),
        replace('name.honorificPrefix', 'Jordan'),
        replace('addresses[type eq "work"].formatted', 'SLSIAOINWGKF'),
        replace('addresses[type eq "work"].primary', true),
        replace('phoneNumbers[type eq "work"].value', '16-953-9121'),
        replace('phoneNumbers[type eq "work"].primary', true),
        replace('phoneNumbers[type eq "mobile"].value', '16-953-9122'),
        replace('phoneNumbers[type eq "fax"].value', '16-953-9123'),
        replace(`${ENTERPRISE}:employeeNumber`, 'YELOFEEPPTQS'),
        replace(`${ENTERPRISE}:department`, 'BAGAJLIBBUNP'),
        replace(`${ENTERPRISE}:costCenter`, 'RFANDONCHLHU'),
        replace('roles[primary eq "True"].display', 'SLSIAOINWGKF'),
        replace('userType', 'PCWZVYHVEOLO'),
        replace('nickName', 'TXPHNTGGOFLX'),
        replace('locale', 'ZLOZIOPOBNKG'),
        replace('timezone', 'Africa/Lagos'),
        replace('profileUrl', 'CHHKTXLGSCGH'),
      )
      expect(after).to.deep.include({
        displayName: 'GTNCXBFJAYYF',
        title: 'NRMIMLXXPFCQ',
        emails: [{ value: 'art@botsford.example', type: 'work', primary: true }],
        phoneNumbers: [{ value: '16-953-9121', type: 'work', primary: true }],
        preferredLanguage: 'nus-SS',
        timezone: 'Africa/Lagos',
      })
      expect(after.name).to.include({ givenName: 'Jaqueline', familyName: 'Jaylin' })
      expect(after[ENTERPRISE]).to.include({ employeeNumber: 'YELOFEEPPTQS', department: 'BAGAJLIBBUNP' })
    },
    'PATCH /Users/Id: Patch User - Replace Attributes, of the primary ones': async () => {
      const after = await patched(
        await created(),
        { op: 'replace', path: 'emails[primary eq true].value', value: 'mary@dickens.example' },
        { op: 'replace', path: 'phoneNumbers[primary eq true].value', value: '39-949-9451' },
        { op: 'replace', path: 'addresses[primary eq true].formatted', value: 'EMZNFSDRVIIF' },
        { op: 'replace', value: { externalId: `16bf3b76-${String(++n)}`, 'name.givenName': 'Mary' } },
      )
      expect(after.emails).to.deep.equal([{ value: 'mary@dickens.example', type: 'work', primary: true }])
      expect(after.phoneNumbers).to.deep.equal([{ value: '39-949-9451', type: 'work', primary: true }])
      expect(after).to.include({ externalId: `16bf3b76-${String(n)}` })
      expect(after.name.givenName).to.equal('Mary')
    },
    'PATCH /Users/Id: Update User userName': async () => {
      const userName = `burdette${String(++n)}@beer.example`
      expect((await patched(await created(), { op: 'replace', value: { userName } })).userName).to.equal(
        userName,
      )
    },
    'PATCH /Users/Id: Patch User - Disable User': async () => {
      const user = await created()
      await patched(user, { op: 'replace', path: 'active', value: false })
      const { Resources } = await search('Users', `userName eq "${String(user.userName)}"`)
      expect(Resources[0].active).to.equal(false)
    },
    'PATCH /Users/Id: Patch User - Add, Replace, Remove Manager': async () => {
      const path = `${ENTERPRISE}:manager`
      const [user, one, two] = [await created(), await created(), await created()]
      const managed = async (op: string, value: string) =>
        (await patched(user, { op, path, value: { value } }))[ENTERPRISE].manager?.value
      expect(await managed('add', one.id)).to.equal(one.id)
      expect(await managed('replace', two.id)).to.equal(two.id)
      expect(await managed('replace', '')).to.equal(undefined)
    },
    'PATCH /Users/Id: Multiple Operations on different and on the same attribute': async () => {
      const after = await patched(
        await created(),
        { op: 'remove', path: 'title' },
        { op: 'add', path: 'displayName', value: 'FBPCNVCHETXV' },
        { op: 'add', path: 'title', value: 'first' },
        { op: 'replace', path: 'title', value: 'EBBINEPPNBDO' },
        { op: 'remove', path: 'nickName' },
      )
      expect(after).to.include({ displayName: 'FBPCNVCHETXV', title: 'EBBINEPPNBDO' })
    },
    'DELETE /Users/Id: Delete a User, twice, and one that does not exist': async () => {
      const { id } = await created()
      for (const status of [204, 404]) ok(await scim.scim('DELETE', `/Users/${String(id)}`), status)
      ok(await scim.scim('GET', `/Users/${String(id)}`), 404)
      ok(await scim.scim('DELETE', '/Users/d950a5ce-61da-4979-8423-4600c745a897'), 404)
    },
  }

  const groups: Checks = {
    'POST /Groups: Create a new Group, and a duplicate': async () => {
      const sent = group()
      expect(ok(await scim.scim('POST', '/Groups', sent), 201)).to.include({ externalId: sent.externalId })
      ok(await scim.scim('POST', '/Groups', sent), 409)
    },
    'GET /Groups: by id and by displayName, excluding members': async () => {
      const { id, displayName } = await createdGroup()
      const byId = ok(await scim.scim('GET', `/Groups/${String(id)}?excludedAttributes=members`), 200)
      for (const name of [displayName, displayName.toLowerCase()])
        expect(
          (await search('Groups', `displayName eq "${String(name)}"`, 'excludedAttributes=members&'))
            .Resources,
        ).to.deep.equal([byId])
      expect(byId).not.to.have.property('members')
      expect((await search('Groups', 'displayName eq "nonexistent"')).totalResults).to.equal(0)
    },
    'PATCH /Groups/Id: Replace Attributes, Update displayName': async () => {
      const one = await createdGroup()
      const externalId = `663fa3a8-${String(++n)}`
      expect((await patched(one, { op: 'replace', value: { externalId } })).externalId).to.equal(externalId)
      const displayName = `WUZPWMBDDCGI${String(n)}`
      expect((await patched(one, { op: 'replace', value: { displayName } })).displayName).to.equal(
        displayName,
      )
    },
    'PATCH /Groups/Id: Add Member, Remove Member, both on one': async () => {
      const [one, { id }] = [await createdGroup(), await created()]
      const value = [{ value: id }]
      const remove = { op: 'remove', path: `members[value eq "${String(id)}"]` }
      expect((await patched(one, { op: 'replace', path: 'members', value })).members).to.have.length(1)
      expect((await patched(one, remove)).members).to.deep.equal([])
      expect((await patched(one, { op: 'add', path: 'members', value }, remove)).members).to.deep.equal([])
    },
    'DELETE /Groups/Id: Delete a Group, twice': async () => {
      const { id } = await createdGroup()
      for (const status of [204, 404]) ok(await scim.scim('DELETE', `/Groups/${String(id)}`), status)
    },
  }

  const gallery: Checks = {
    Schema_Discoverability_Test: async () => {
      const { Resources } = ok(await scim.scim('GET', '/Schemas'), 200)
      const names = new Map<string, string[]>(
        Resources.map(({ id, attributes }: { id: string; attributes: { name: string }[] }) => [
          id,
          attributes.map(({ name }) => name),
        ]),
      )
      expect(names.get(USER)).to.include.members(['userName', 'externalId', 'active', 'emails', 'name'])
      expect(names.get(ENTERPRISE)).to.include.members(['department', 'employeeNumber', 'manager'])
      expect(names.get(GROUP)).to.include.members(['displayName', 'externalId', 'members'])
    },
    SCIM_Null_Update_Test: async () => {
      for (const value of ['', null]) {
        const paths = ['title', 'preferredLanguage', 'locale', 'timezone', 'nickName']
        const after = await patched(
          await created({ locale: 'en-GB' }),
          ...[
            ...paths,
            'phoneNumbers[type eq "work"].value',
            'addresses[type eq "work"].country',
            `${ENTERPRISE}:department`,
            `${ENTERPRISE}:employeeNumber`,
          ].map((path) => ({ op: 'replace', path, value })),
        )
        expect(after).not.to.have.any.keys(...paths, 'phoneNumbers', ENTERPRISE)
      }
    },
    SCIM_User_Pagination_Test: async () => {
      for (let i = 0; i < 11; i++) await created()
      const ids = new Set<string>()
      let total = 1
      for (let at = 1; at <= total; at += 5) {
        const page = ok(await scim.scim('GET', `/Users?startIndex=${String(at)}&count=5`), 200)
        total = page.totalResults
        expect(page.startIndex).to.equal(at)
        for (const { id } of page.Resources) ids.add(id)
      }
      expect(ids.size).to.equal(total)
    },
  }

  for (const [about, checks] of Object.entries({ users, groups, gallery }))
    describe(about, () => {
      for (const [name, check] of Object.entries(checks)) it(`SCIM-01 ${name}`, check)
    })
})
