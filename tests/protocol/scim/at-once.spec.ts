import { expect } from 'chai'
import { directory, type Directory } from '../../support/scim/scim.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('What a directory sends at the same time', function () {
  this.timeout(120_000)
  let service: TestService
  let scim: Directory
  before(async () => {
    service = await testService()
    scim = await directory(service)
  })
  after(() => service.stop())

  const person = (userName: string, more: object = {}) => ({
    userName,
    name: { givenName: 'At', familyName: 'Once' },
    ...more,
  })

  it('SCIM-01 gives each name to one user, and returns a conflict for the others', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `Once${String(n)}@directory.example`)
    const spellings = names.flatMap((name) => [name, name.toUpperCase(), name.toLowerCase()])
    const answers = await Promise.all(spellings.map((name) => scim.scim('POST', '/Users', person(name))))
    for (const [at] of names.entries()) {
      const three = answers.slice(at * 3, at * 3 + 3)
      const statuses = three.map(({ status }) => status).sort()
      // A busy machine may not respond in time; the name is still taken only once.
      if (statuses.includes(503))
        expect(statuses.filter((status) => status === 201)).to.have.length.at.most(1)
      else expect(statuses).to.deep.equal([201, 409, 409])
      for (const { status, body } of three) if (status === 409) expect(body.scimType).to.equal('uniqueness')
      const filter = encodeURIComponent(`userName eq "${names[at] ?? ''}"`)
      const list = await scim.scim('GET', `/Users?filter=${filter}`)
      expect(list.body.totalResults).to.be.at.most(1)
    }
  })

  it('SCIM-01 releases the names of rejected requests', async () => {
    await scim.user({ userName: 'taken@directory.example', externalId: 'taken' })
    const refused = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        scim.scim('POST', '/Users', person(`free${String(n)}@directory.example`, { externalId: 'taken' })),
      ),
    )
    expect(refused.map(({ status }) => status)).to.deep.equal(Array(6).fill(409))
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        scim.scim('POST', '/Users', person(`free${String(n)}@directory.example`)),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(6).fill(201))
  })

  it('SCIM-01 lets another user have the name of a deleted user immediately', async () => {
    const first = await scim.user({ userName: 'again@directory.example', externalId: 'again' })
    expect((await scim.scim('DELETE', `/Users/${String(first.id)}`)).status).to.equal(204)
    const second = await scim.user({ userName: 'again@directory.example', externalId: 'again' })
    expect(second.id).not.to.equal(first.id)
  })

  it('SCIM-01 adds every member once, and removes them, for any number of requests', async () => {
    const people = await Promise.all(Array.from({ length: 40 }, () => scim.user()))
    const group = await scim.group('At once')
    const path = `/Groups/${String(group.id)}?excludedAttributes=members`
    const value = people.map(({ id }) => ({ value: id as string }))
    const rows = async () => {
      const { rows: memberships } = await service.core.services.pool.query<{ user_id: string }>(
        `select user_id from memberships where group_id = $1 and to_position is null`,
        [group.id],
      )
      return memberships.map(({ user_id }) => user_id).sort()
    }
    const halves = [value, value.slice(0, 20), value.slice(20)]
    const change = (op: string) =>
      Promise.all(halves.map((half) => scim.patch(path, { op, path: 'members', value: half })))
    for (const { status } of await change('add')) expect(status).to.equal(204)
    expect(await rows()).to.deep.equal(people.map(({ id }) => id as string).sort())
    for (const { status } of await change('remove')) expect(status).to.equal(204)
    expect(await rows()).to.deep.equal([])
  })
})
