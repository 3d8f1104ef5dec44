import { expect } from 'chai'
import fc from 'fast-check'
import { eager, provisionedApplication } from '../support/scim/provisioning.ts'
import { scimApp, type Fault } from '../support/scim/scim-app.ts'
import { testService, type TestService } from '../support/service/service.ts'

const RUNS = Number(process.env['SVC_TEST_PROVISIONING_RUNS'] ?? '5')
const PEOPLE = 4

const person = fc.nat({ max: PEOPLE - 1 })
const step = fc.oneof(
  fc.record({ do: fc.constantFrom('join', 'leave', 'suspend', 'reactivate', 'lose'), person }),
  fc.record({
    do: fc.constant('rename'),
    person,
    name: fc.constantFrom('Ada', 'Ada King', 'Ælfrið “Q” O’Neil'),
  }),
  fc.record({ do: fc.constant('move'), person }),
)
const fault: fc.Arbitrary<Fault | null> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Fault[]>(
      'lost',
      { status: 500 },
      { status: 400 },
      { status: 401 },
      { status: 503 },
      { status: 404 },
    ),
  },
)

describe('Provisioning under random faults', function () {
  this.timeout(180_000)
  let service: TestService
  before(async () => {
    service = await testService(undefined, { provisioning: { ...eager, every: 0.1 } })
  })
  after(() => service.stop())

  it(`SCX-02 SCX-03 converges to assigned ∧ active and deletes no account, over ${String(RUNS)} histories with faults`, async () => {
    let moves = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.array(fault, { minLength: 1, maxLength: 40 }),
        async (steps, faults) => {
          const app = await scimApp()
          const application = await provisionedApplication(service)
          try {
            const people = await Promise.all(Array.from({ length: PEOPLE }, () => service.person()))
            const model = people.map(({ email, userId }) => ({
              userId,
              email,
              name: '',
              assigned: false,
              active: true,
            }))
            await application.configure(app)
            let requests = 0
            app.fault = () => faults[requests++ % faults.length] ?? null
            for (const { do: what, person: n, ...more } of steps) {
              const one = model[n]
              if (one === undefined) continue
              const user = `/users/${one.userId}`
              if (what === 'join') await application.join(one.userId).then(() => (one.assigned = true))
              if (what === 'leave' && one.assigned)
                await application.leave(one.userId).then(() => (one.assigned = false))
              if (what === 'suspend' && one.active)
                await application.send('POST', `${user}/suspend`, {}).then(() => (one.active = false))
              if (what === 'reactivate' && !one.active)
                await application.send('POST', `${user}/reactivate`).then(() => (one.active = true))
              if (what === 'rename') {
                one.name = (more as { name: string }).name
                await application.send('PATCH', user, { name: one.name })
              }
              if (what === 'move') {
                one.email = `moved${String(++moves)}@example.com`
                await application.send('PATCH', user, { email: one.email })
              }
              // An administrator deletes the account in the application.
              const held = [...app.users.values()].find(({ externalId }) => externalId === one.userId)
              if (what === 'lose' && held !== undefined) app.users.delete(held.id)
            }
            app.fault = () => null
            // A deletion in the application is noticed only at the next change.
            for (const one of model) {
              one.name = `Final ${one.userId.slice(-4)}`
              await application.send('PATCH', `/users/${one.userId}`, { name: one.name })
            }
            await application.synced()
            await application.synced()
            const held = [...app.users.values()]
            for (const one of model) {
              const own = held.filter(({ externalId }) => externalId === one.userId)
              if (one.assigned && one.active) {
                expect(own).to.have.length(1)
                expect(own[0]).to.include({ userName: one.email, displayName: one.name, active: true })
              } else for (const { active } of own) expect(active).to.equal(false)
            }
            const names = held.map(({ userName }) => String(userName).toLowerCase())
            expect(new Set(names).size).to.equal(names.length)
            expect(app.requests.filter(({ line }) => /^DELETE|\/Groups/.test(line))).to.deep.equal([])
            const { counts } = (await application.own('GET')).body
            expect(counts).to.include({ errors: 0, pendingCreate: 0 })
          } finally {
            await application.own('DELETE')
            await app.stop()
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    )
  })
})
