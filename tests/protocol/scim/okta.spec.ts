import { expect } from 'chai'
import { directory, ERROR, GROUP, LIST, scimRequest, USER, type Directory } from '../../support/scim/scim.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('Okta SPEC test', function () {
  this.timeout(60_000)
  let service: TestService
  let okta: Directory
  before(async () => {
    service = await testService()
    okta = await directory(service)
    await okta.user({ userName: 'first@okta.example' })
  })
  after(() => service.stop())

  const realistic = (n: number) => ({
    schemas: [USER],
    userName: `Runscope${String(n)}Mixed@Okta.example`,
    name: { givenName: 'Runscope', familyName: `Family${String(n)}` },
    emails: [{ primary: true, value: `runscope${String(n)}@okta.example`, type: 'work' }],
    displayName: `Runscope Family${String(n)}`,
    active: true,
  })

  it('SCIM-01 SCIM-04 Required Test: Test Users endpoint', async () => {
    const { status, body } = await okta.scim('GET', '/Users?count=1&startIndex=1')
    expect(status).to.equal(200)
    expect(body.schemas).to.include(LIST)
    expect(body.itemsPerPage).to.be.a('number')
    expect(body.startIndex).to.be.a('number')
    expect(body.totalResults).to.be.a('number')
    const [entity] = body.Resources
    expect(entity.id).to.be.a('string').and.not.equal('')
    expect(entity.name.familyName).to.be.a('string').and.not.equal('')
    expect(entity.name.givenName).to.be.a('string').and.not.equal('')
    expect(entity.userName).to.be.a('string').and.not.equal('')
    expect(entity.active).to.be.a('boolean')
    expect(entity.emails[0].value).to.be.a('string').and.not.equal('')
  })

  it('SCIM-01 Required Test: Get Users/{{id}}', async () => {
    const [{ id }] = (await okta.scim('GET', '/Users?count=1&startIndex=1')).body.Resources
    const { status, body } = await okta.scim('GET', `/Users/${String(id)}`)
    expect(status).to.equal(200)
    expect(body.id).to.equal(id)
    expect(body.emails[0].value).not.to.equal('')
  })

  it('SCIM-03 Required Test: Test invalid User by userName; random user does not exist', async () => {
    const { status, body } = await okta.scim(
      'GET',
      '/Users?filter=userName%20eq%20%22nobody%40okta.example%22',
    )
    expect(status).to.equal(200)
    expect(body).to.deep.include({ schemas: [LIST], totalResults: 0, Resources: [] })
  })

  it('SCIM-01 Required Test: Test invalid User by ID', async () => {
    const { status, body } = await okta.scim('GET', '/Users/010101001010101011001010101011')
    expect(status).to.equal(404)
    expect(body.detail).to.be.a('string').and.not.equal('')
    expect(body.schemas).to.include(ERROR)
    expect(body.status).to.equal('404')
  })

  it('SCIM-01 Required Test: Create Okta user with realistic values, verify, expect failure when recreating', async () => {
    const user = realistic(1)
    const { status, body, headers } = await okta.scim('POST', '/Users', user)
    expect(status).to.equal(201)
    expect(headers.get('content-type')).to.match(/^application\/scim\+json/)
    expect(headers.get('location')).to.equal(body.meta.location)
    expect(body.active).to.equal(true)
    expect(body.name).to.include(user.name)
    expect(body.schemas).to.include(USER)
    expect(body.userName).to.equal(user.userName)
    const again = await okta.scim('GET', `/Users/${String(body.id)}`)
    expect(again.body.userName).to.equal(user.userName)
    expect(again.body.name).to.include(user.name)
    const repeated = await okta.scim('POST', '/Users', user)
    expect(repeated.status).to.equal(409)
    expect(repeated.body).to.include({ status: '409', scimType: 'uniqueness' })
  })

  it('SCIM-03 Required Test: Username Case Sensitivity Check', async () => {
    await okta.scim('POST', '/Users', realistic(2))
    const filter = encodeURIComponent('userName eq "RUNSCOPE2MIXED@OKTA.EXAMPLE"')
    const { status, body } = await okta.scim('GET', `/Users?filter=${filter}`)
    expect(status).to.equal(200)
    expect(body.totalResults).to.equal(1)
    expect(body.Resources[0].userName).to.equal('Runscope2Mixed@Okta.example')
  })

  it('SCIM-01 Optional Test: Verify Groups endpoint', async () => {
    const times: number[] = []
    for (let request = 0; request < 3; request++) {
      const began = performance.now()
      const { status } = await okta.scim('GET', '/Groups')
      times.push(performance.now() - began)
      expect(status).to.equal(200)
    }
    // A request that the machine delayed says nothing about the service.
    expect(Math.min(...times)).to.be.at.most(600)
  })

  it('SCIM-02 Required Test: Check status 401 and its body', async () => {
    const { status, body, headers } = await scimRequest(
      service,
      'GET',
      '/Users?filter=id+eq+%22x%22',
      undefined,
      {},
    )
    expect(status).to.equal(401)
    expect(headers.get('www-authenticate')).to.equal('Bearer')
    expect(body.schemas).to.include(ERROR)
    expect(body.status).to.equal('401')
    expect(body.detail).to.be.a('string').and.not.equal('')
  })

  it('SCIM-01 creates as Okta does, ignoring the password and unknown attributes', async () => {
    const { status, body } = await okta.scim('POST', '/Users', {
      schemas: [USER],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
      nickName: 'T',
    })
    expect(status).to.equal(201)
    expect(body).to.include({ locale: 'en-US', externalId: '00ujl29u0le5T6Aj10h7', active: true })
    expect(body).to.not.have.any.keys('password', 'nickName')
    expect(JSON.stringify(body)).not.to.include('1mz050nq')
  })

  it('SCIM-01 updates a whole profile by PUT, keeping active where it is absent', async () => {
    const user = await okta.user()
    const { status, body } = await okta.scim('PUT', `/Users/${String(user.id)}`, {
      ...user,
      name: { givenName: 'Another', familyName: 'User', middleName: '' },
      displayName: 'Another User',
      title: 'Tester',
    })
    expect(status).to.equal(200)
    expect(body).to.include({ title: 'Tester', displayName: 'Another User', active: true })
    await okta.patch(`/Users/${String(user.id)}`, { op: 'replace', value: { active: false } })
    const { active: _, ...rest } = body
    const later = await okta.scim('PUT', `/Users/${String(user.id)}`, rest)
    expect(later.body.active).to.equal(false)
  })

  it('SCIM-01 deactivates and reactivates by PATCH without a path', async () => {
    const { id } = await okta.user()
    const off = await okta.patch(`/Users/${String(id)}`, { op: 'replace', value: { active: false } })
    expect(off.status).to.equal(200)
    expect(off.body.active).to.equal(false)
    const on = await okta.patch(`/Users/${String(id)}`, { op: 'replace', value: { active: true } })
    expect(on.body.active).to.equal(true)
  })

  it('SCIM-01 pushes groups: create, rename, change and replace members, delete', async () => {
    const [one, two] = [await okta.user(), await okta.user()]
    const created = await okta.scim('POST', '/Groups', {
      schemas: [GROUP],
      displayName: 'Test SCIMv2',
      members: [],
    })
    expect(created.status).to.equal(201)
    const { id } = created.body
    expect(created.body.members).to.deep.equal([])
    const path = `/Groups/${String(id)}`

    const renamed = await okta.patch(path, { op: 'replace', value: { id, displayName: 'Test SCIMv20' } })
    expect(renamed.status).to.equal(200)
    expect(renamed.body.displayName).to.equal('Test SCIMv20')

    const added = await okta.patch(path, {
      op: 'add',
      path: 'members',
      value: [{ value: one.id, display: 'x' }],
    })
    expect(added.body.members).to.deep.equal([
      { value: one.id, $ref: one.meta.location, display: one.displayName, type: 'User' },
    ])
    const swapped = await okta.patch(
      path,
      { op: 'remove', path: `members[value eq "${String(one.id)}"]` },
      { op: 'add', path: 'members', value: [{ value: two.id, display: 'x' }] },
    )
    expect(swapped.body.members.map((m: { value: string }) => m.value)).to.deep.equal([two.id])
    const replaced = await okta.patch(path, {
      op: 'replace',
      path: 'members',
      value: [{ value: one.id }, { value: two.id }],
    })
    expect(replaced.body.members).to.have.length(2)
    const put = await okta.scim('PUT', path, { ...created.body, displayName: 'Test SCIMv20', members: [] })
    expect(put.body.members).to.deep.equal([])
    expect((await okta.scim('DELETE', path)).status).to.equal(204)
    expect((await okta.scim('GET', path)).status).to.equal(404)
  })

  it('SCIM-04 imports page by page, by startIndex and a fixed count, in one order', async () => {
    for (let n = 0; n < 7; n++) await okta.user()
    const whole = (await okta.scim('GET', '/Users?count=200')).body
    const ids: string[] = []
    for (let at = 1; at <= whole.totalResults; at += 3) {
      const { body } = await okta.scim('GET', `/Users?startIndex=${String(at)}&count=3`)
      expect(body.startIndex).to.equal(at)
      ids.push(...body.Resources.map(({ id }: { id: string }) => id))
    }
    expect(ids).to.deep.equal(whole.Resources.map(({ id }: { id: string }) => id))
  })
})
