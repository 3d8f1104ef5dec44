/** Users and groups that exist before a directory is connected. */
import { expect } from 'chai'
import { directory, ERROR, GROUP, USER, type Directory, type ScimReply } from '../../support/scim/scim.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('SCIM with existing users and groups', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  let scim: Directory
  let n = 0
  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
    scim = await directory(service)
  })
  after(() => service.stop())

  const send = async (method: string, path: string, body?: unknown) =>
    (await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })).body
  const matches = async (collection: string, filter: string): Promise<ScimReply['body'][]> =>
    (await scim.scim('GET', `/${collection}?filter=${encodeURIComponent(filter)}`)).body.Resources
  const taken = ({ status, body }: ScimReply): void => {
    expect(body).to.deep.include({ schemas: [ERROR], status: '409', scimType: 'uniqueness' })
    expect(body.detail).to.be.a('string').and.not.equal('')
    expect(status).to.equal(409)
  }
  const post = (resource: object) => scim.scim('POST', '/Users', { schemas: [USER], ...resource })
  const somebody = async () => {
    const email = `Ada${String(++n)}@local.example`
    const { userId } = await service.person({ name: 'Ada Lovelace', email, title: 'Analyst' })
    return { email, userId, path: `/users/${userId}`, was: await send('GET', `/users/${userId}`) }
  }

  it('SCIM-01 a POST of the user name or address of a local user is 409 uniqueness, and changes nothing', async () => {
    const { email, path, was } = await somebody()
    expect(was).to.include({ source: 'local', externalId: null })
    const other = `free${String(n)}@directory.example`
    for (const resource of [
      { userName: email },
      { userName: email.toUpperCase(), externalId: 'dir-1' },
      { userName: other, emails: [{ value: email, type: 'work', primary: true }] },
      { userName: `free${String(n)}`, emails: [{ value: email.toLowerCase() }] },
    ])
      taken(await post({ name: { givenName: 'A', familyName: 'B' }, ...resource }))
    expect(await send('GET', path)).to.deep.equal(was)
    expect(await matches('Users', `userName eq "${other}"`)).to.deep.equal([])
    expect(await matches('Users', 'externalId eq "dir-1"')).to.deep.equal([])
  })

  it('SCIM-01 SCIM-03 the local user is found by user name or address, and linked by PATCH or PUT, keeping id, roles and source', async () => {
    for (const how of ['PATCH', 'PUT'] as const) {
      const { email, userId, path } = await somebody()
      const { id: groupId } = await send('POST', '/groups', { name: `By hand ${String(n)}` })
      await send('PUT', `/groups/${String(groupId)}/members/${userId}`, {})
      for (const filter of [`userName eq "${email.toUpperCase()}"`, `emails.value eq "${email}"`])
        expect((await matches('Users', filter)).map(({ id }) => id)).to.deep.equal([userId])
      const externalId = `dir-${how}`
      const { status, body } =
        how === 'PATCH'
          ? await scim.patch(`/Users/${userId}`, { op: 'Add', path: 'externalId', value: externalId })
          : await scim.scim('PUT', `/Users/${userId}`, {
              schemas: [USER],
              userName: email,
              externalId,
              name: { givenName: 'Ada', familyName: 'King' },
            })
      expect(status).to.equal(200)
      expect(body).to.deep.include({ id: userId, externalId, active: true, userName: email })
      expect((await matches('Users', `externalId eq "${externalId}"`)).map(({ id }) => id)).to.deep.equal([
        userId,
      ])
      expect(await send('GET', path)).to.include({ source: 'local', externalId, status: 'active', email })
      const groups: { id: string }[] = await send('GET', `${path}/groups`)
      expect(groups.map(({ id }) => id)).to.include(groupId)
      taken(await post({ userName: email, externalId }))
    }
  })

  it('SCIM-01 a POST of a deleted user creates a new user, whose source is the directory', async () => {
    const { email, userId, path } = await somebody()
    expect((await service.api('DELETE', path, { as: admin })).status).to.equal(204)
    const { status, body } = await post({ userName: email, name: { givenName: 'Ada', familyName: 'King' } })
    expect(status).to.equal(201)
    expect(body.id).not.to.equal(userId)
    expect(await send('GET', `/users/${String(body.id)}`)).to.include({ source: 'scim', email })
  })

  describe('groups', () => {
    const local = async (more: object = {}) => {
      const name = `Local ${String(++n)}`
      const { id } = await send('POST', '/groups', { name, ...more })
      return { name, id: String(id), source: async () => (await send('GET', `/groups/${String(id)}`)).source }
    }

    it('SCIM-01 a POST of the name of a local group is 409 uniqueness; other changes leave it local', async () => {
      const { name, id, source } = await local()
      taken(await scim.scim('POST', '/Groups', { schemas: [GROUP], displayName: name.toUpperCase() }))
      const { id: member } = await scim.user()
      await scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: member }] })
      await scim.patch(`/Groups/${id}`, { op: 'replace', path: 'displayName', value: `${name}, renamed` })
      expect(await source()).to.equal('local')
    })

    it('SCIM-01 a directory that gives a local group its external id adopts it, which the audit trail records', async () => {
      for (const how of ['PATCH', 'PUT'] as const) {
        const { name, id, source } = await local()
        const externalId = `group-${how}`
        const { status } =
          how === 'PATCH'
            ? await scim.patch(`/Groups/${id}`, { op: 'add', path: 'externalId', value: externalId })
            : await scim.scim('PUT', `/Groups/${id}`, { schemas: [GROUP], displayName: name, externalId })
        expect(status).to.equal(200)
        expect(await source()).to.equal('scim')
        expect(
          (await matches('Groups', `externalId eq "${externalId}"`)).map((group) => group.id),
        ).to.deep.equal([id])
        await scim.patch(`/Groups/${id}`, { op: 'remove', path: 'externalId' })
        expect(await source()).to.equal('scim')
      }
      expect(
        (await send('GET', `/groups/${String((await scim.group(`Made ${String(++n)}`)).id)}`)).source,
      ).to.equal('scim')
    })

    it('SCIM-01 a group with a rule is not adopted, even with an external id', async () => {
      const rule = { match: 'all', conditions: [{ attribute: 'title', operator: 'present' }] }
      const { id, source } = await local({ rule })
      await scim.patch(`/Groups/${id}`, { op: 'add', path: 'externalId', value: 'ruled' })
      expect(await source()).to.equal('local')
      const { id: member } = await scim.user()
      const add = { op: 'add', path: 'members', value: [{ value: member }] }
      expect((await scim.patch(`/Groups/${id}`, add)).body).to.include({
        status: '400',
        scimType: 'mutability',
      })
    })
  })
})
