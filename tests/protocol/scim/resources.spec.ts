import { expect } from 'chai'
import { groupCommands } from '../../../adapters/application/commands/groups.ts'
import { EventLogUnavailable } from '../../../adapters/engines/event-log/event-log.ts'
import { directory, ERROR, USER, type Directory, type ScimReply } from '../../support/scim/scim.ts'
import { system, testService, type TestService } from '../../support/service/service.ts'

describe('SCIM resources', function () {
  this.timeout(60_000)
  let service: TestService
  let scim: Directory
  before(async () => {
    service = await testService()
    scim = await directory(service)
  })
  after(async () => {
    await service.stop()
  })

  const refused = ({ status, body }: ScimReply): string => {
    expect(body.schemas).to.deep.equal([ERROR])
    expect(body.status).to.equal(String(status))
    expect(body.detail).to.be.a('string').and.not.equal('')
    return `${String(status)}${body.scimType === undefined ? '' : ` ${String(body.scimType)}`}`
  }
  const post = (path: string, body: unknown) => scim.scim('POST', path, body)
  const user = (fields: object) => post('/Users', { schemas: [USER], ...fields })

  describe('Users', () => {
    it('creates users as invited and visible, or suspended when they are not active', async () => {
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

    it('keeps user names, addresses and external ids unique, in any letter case', async () => {
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

    it('executes all operations of a PATCH, or none', async () => {
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

    it('records nothing if nothing differs', async () => {
      const created = await scim.user()
      const path = `/Users/${String(created.id)}`
      expect((await scim.scim('PUT', path, created)).body).to.deep.equal(created)
      expect((await scim.patch(path, { op: 'replace', path: 'active', value: true })).body).to.deep.equal(
        created,
      )
    })

    it('lets only directories with the global_admin role change accounts with a role', async () => {
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

    it('ends the sessions of a deactivated user before the response', async () => {
      const person = await service.person()
      expect((await service.api('GET', '/me', { as: person })).status).to.equal(200)
      await scim.patch(`/Users/${person.userId}`, { op: 'replace', path: 'active', value: false })
      expect((await service.api('GET', '/me', { as: person })).status).to.equal(401)
    })
  })

  describe('Groups', () => {
    it('keeps manual memberships, whatever the directory replaces', async () => {
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

    it('does not change members by rule', async () => {
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

    it('rejects a name in use, an unknown member and deleting a group in use, without changes', async () => {
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

    it('records name and members one after the other: after an outage in between, a repeated PATCH completes the rest', async () => {
      const people = [(await scim.user()).id, (await scim.user()).id] as readonly string[]
      const { id } = await scim.group('Before the outage')
      const path = `/Groups/${String(id)}`
      const seen = async () => {
        const { displayName, members } = (await scim.scim('GET', path)).body
        return [displayName, members.map(({ value }: { value: string }) => value).sort()] as const
      }
      const send = () =>
        scim.patch(
          path,
          { op: 'add', path: 'members', value: people.map((value) => ({ value })) },
          { op: 'replace', path: 'displayName', value: 'After the outage' },
        )
      const { eventLog } = service.core
      const { appendMany } = eventLog
      const appended: string[] = []
      // Accepts only the first member.
      Object.assign(eventLog, {
        appendMany: async (appends: Parameters<typeof appendMany>[0]) => {
          const some = appends.slice(0, appended.length === 0 ? 1 : 0)
          appended.push(...some.map(({ stream }) => stream))
          const results = await appendMany.call(eventLog, some)
          return [...results, ...appends.slice(some.length).map(() => new EventLogUnavailable('away'))]
        },
      })
      try {
        expect(refused(await send())).to.equal('503')
      } finally {
        Object.assign(eventLog, { appendMany })
      }
      const first = people.filter((person) => appended[0]?.endsWith(person))
      expect(first).to.have.length(1)
      expect(await seen()).to.deep.equal(['After the outage', first])
      expect((await send()).status).to.equal(200)
      expect(await seen()).to.deep.equal(['After the outage', [...people].sort()])
    })
  })
})
