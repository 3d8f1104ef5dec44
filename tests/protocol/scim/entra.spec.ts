import { expect } from 'chai'
import { directory, ENTERPRISE, GROUP, LIST, USER, type Directory } from '../../support/scim/scim.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const MS_GROUP = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'

describe('Entra provisioning', function () {
  this.timeout(60_000)
  let service: TestService
  let entra: Directory
  let n = 0
  before(async () => {
    service = await testService()
    entra = await directory(service)
  })
  after(() => service.stop())

  const request = () => {
    const id = `0a21f0f2-8d2a-4f8e-bf98-${String(++n).padStart(12, '0')}`
    return {
      schemas: [USER, ENTERPRISE],
      externalId: id,
      userName: `Test_User_${id}`,
      active: true,
      emails: [{ primary: true, type: 'work', value: `Test_User_${id}@testuser.com` }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
    }
  }
  const create = async () => (await entra.scim('POST', '/Users', request())).body
  const filtered = async (type: string, filter: string, more = '') =>
    (await entra.scim('GET', `/${type}?filter=${encodeURIComponent(filter)}${more}`)).body

  it('SCIM-01 creates, reads and finds a user whose name is not the address', async () => {
    const sent = request()
    const { status, body } = await entra.scim('POST', '/Users', sent)
    expect(status).to.equal(201)
    expect(body).to.include({ userName: sent.userName, externalId: sent.externalId, active: true })
    expect(body.emails).to.deep.equal(sent.emails)
    expect(body.name).to.deep.equal(sent.name)
    for (const filter of [
      `userName eq "${sent.userName}"`,
      `externalId eq "${sent.externalId}"`,
      `emails[type eq "work"].value eq "${sent.emails[0]?.value ?? ''}"`,
    ]) {
      const list = await filtered('Users', filter)
      expect(list, filter).to.deep.include({ schemas: [LIST], totalResults: 1, startIndex: 1 })
      expect(list.Resources[0].id).to.equal(body.id)
    }
    expect(await filtered('Users', 'userName eq "non-existent user"')).to.deep.include({
      totalResults: 0,
      Resources: [],
    })
  })

  it('SCIM-01 updates multi-valued and single-valued properties', async () => {
    const { id } = await create()
    const { status, body } = await entra.patch(
      `/Users/${String(id)}`,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    )
    expect(status).to.equal(200)
    expect(body.emails).to.deep.equal([{ value: 'updatedEmail@microsoft.com', type: 'work', primary: true }])
    expect(body.name).to.deep.equal({
      formatted: 'givenName updatedFamilyName',
      familyName: 'updatedFamilyName',
      givenName: 'givenName',
    })
    const renamed = await entra.patch(`/Users/${String(id)}`, {
      op: 'Replace',
      path: 'userName',
      value: '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com',
    })
    expect(renamed.body.userName).to.equal('5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com')
    expect(renamed.body.emails[0].value).to.equal('updatedEmail@microsoft.com')
  })

  it('SCIM-01 disables by false and by "False"; a disabled user stays visible', async () => {
    for (const value of [false, 'False']) {
      const { id, userName } = await create()
      const { status, body } = await entra.patch(`/Users/${String(id)}`, {
        op: 'Replace',
        path: 'active',
        value,
      })
      expect(status).to.equal(200)
      expect(body.active).to.equal(false)
      expect((await filtered('Users', `userName eq "${String(userName)}"`)).Resources[0].active).to.equal(
        false,
      )
      const enabled = await entra.patch(`/Users/${String(id)}`, { op: 'Add', path: 'active', value: 'True' })
      expect(enabled.body.active).to.equal(true)
    }
  })

  it('SCIM-01 adds enterprise attributes and a manager, and removes them', async () => {
    const [manager, { id }] = [await create(), await create()]
    const path = `/Users/${String(id)}`
    const added = await entra.patch(
      path,
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Sales' },
      { op: 'Add', path: `${ENTERPRISE}:employeeNumber`, value: '701984' },
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: [{ $ref: '../Users/x', value: manager.id }] },
      { op: 'Add', path: 'title', value: 'Clerk' },
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Redmond' },
      { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '+1 425 555 0100' },
    )
    expect(added.status, JSON.stringify(added.body)).to.equal(200)
    expect(added.body.schemas).to.include(ENTERPRISE)
    expect(added.body[ENTERPRISE]).to.deep.equal({
      employeeNumber: '701984',
      department: 'Sales',
      manager: { value: manager.id, $ref: manager.meta.location, displayName: manager.displayName },
    })
    expect(added.body.phoneNumbers).to.deep.equal([{ value: '+1 425 555 0100', type: 'work', primary: true }])
    const removed = await entra.patch(
      path,
      { op: 'Remove', path: `${ENTERPRISE}:manager` },
      { op: 'Remove', path: 'title' },
    )
    expect(removed.body[ENTERPRISE]).not.to.have.property('manager')
    expect(removed.body).not.to.have.property('title')
  })

  it('SCIM-01 deletes permanently; the name can be used again, with another id', async () => {
    const sent = request()
    const { id } = (await entra.scim('POST', '/Users', sent)).body
    expect((await entra.scim('DELETE', `/Users/${String(id)}`)).status).to.equal(204)
    expect((await entra.scim('GET', `/Users/${String(id)}`)).status).to.equal(404)
    expect((await entra.scim('DELETE', `/Users/${String(id)}`)).status).to.equal(404)
    const again = await entra.scim('POST', '/Users', sent)
    expect(again.status).to.equal(201)
    expect(again.body.id).not.to.equal(id)
  })

  it('SCIM-01 manages groups without ever reading their members', async () => {
    const [one, two] = [await create(), await create()]
    const created = await entra.scim('POST', '/Groups', {
      schemas: [GROUP, MS_GROUP],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    })
    expect(created.status).to.equal(201)
    const { id } = created.body
    const path = `/Groups/${String(id)}`
    const read = await entra.scim('GET', `${path}?excludedAttributes=members`)
    expect(read.body).to.include({ id, displayName: 'displayName' }).and.not.have.property('members')
    const byName = await filtered('Groups', 'displayName eq "DISPLAYNAME"', '&excludedAttributes=members')
    expect(byName.Resources).to.deep.equal([read.body])
    expect(
      (await filtered('Groups', 'externalId eq "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159"')).totalResults,
    ).to.equal(1)

    const quietly = `${path}?excludedAttributes=members`
    const rename = {
      op: 'Replace',
      path: 'displayName',
      value: '1879db59-3bdf-4490-ad68-ab880a269474updated',
    }
    expect((await entra.patch(quietly, rename)).status).to.equal(204)
    const members = [one.id, two.id].map((value: string) => ({ $ref: null, value }))
    const add = { op: 'Add', path: 'members', value: members }
    expect((await entra.patch(quietly, add)).status).to.equal(204)
    expect((await entra.patch(quietly, add)).status).to.equal(204)
    const has = async (user: { id: string }) =>
      (await filtered('Groups', `id eq "${String(id)}" and members eq "${user.id}"`, '&attributes=id'))
        .totalResults
    expect([await has(one), await has(two)]).to.deep.equal([1, 1])
    const remove = { op: 'Remove', path: 'members', value: [{ $ref: null, value: one.id }] }
    expect((await entra.patch(quietly, remove)).status).to.equal(204)
    expect([await has(one), await has(two)]).to.deep.equal([0, 1])
    expect((await entra.scim('GET', `/Users/${String(two.id)}`)).body.groups).to.deep.equal([
      { value: id, $ref: created.body.meta.location, display: rename.value, type: 'direct' },
    ])
    expect((await entra.scim('DELETE', path)).status).to.equal(204)
  })

  it('SCIM-01 rejects a member that does not exist with a permanent error', async () => {
    const { id } = await entra.group('Unknown members')
    const { status, body } = await entra.patch(`/Groups/${String(id)}`, {
      op: 'Add',
      path: 'members',
      value: [{ value: 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
    })
    expect(status).to.equal(400)
    expect(body.scimType).to.equal('invalidValue')
  })
})
