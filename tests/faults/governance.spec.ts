/**
 * The service is killed at every step of giving an access package and of applying an access review: before an event is
 * recorded, or after it, in turn.
 */
import { expect } from 'chai'
import { rebuildReadModels } from '../../cli/server/rebuild.ts'
import { ask } from '../support/service/load.ts'
import { serve, type ServeProcess } from '../support/service/processes.ts'
import { recordingLog, testPlace, testService, type TestPerson } from '../support/service/service.ts'
import { stoppingPoints, type StoppingPoints } from '../support/service/stopping-points.ts'
import { until } from '../support/until.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

/** More steps than any of these has. */
const MOST = 40
const WAIT = 30_000

/** Something with several steps, made ready to start. */
interface Scene {
  /** Starts it; it does not matter if it has started already. */
  readonly start: () => Promise<unknown>
  readonly isDone: () => Promise<boolean>
  readonly check: () => Promise<void>
}

describe('svc serve, killed while it gives and takes access', function () {
  this.timeout(600_000)
  let place: Awaited<ReturnType<typeof testPlace>>
  let points: StoppingPoints
  let admin: TestPerson
  let approver: TestPerson
  let people: TestPerson[]
  let current: ServeProcess
  let setting: Parameters<typeof serve>[0]
  let names = 0
  before(async () => {
    place = await testPlace()
    const service = await testService(place)
    admin = await service.person({ name: 'Grace' }, ['global_admin'])
    approver = await service.person({ name: 'Mae' })
    people = []
    for (let n = 0; n < MOST; n++) people.push(await service.person({ name: `Person ${String(n)}` }))
    await service.stop()
    setting = { databaseUrl: place.databaseUrl, secretKey: place.config.secretKey ?? '' }
    points = await stoppingPoints(place.databaseUrl)
    current = await serve(setting)
  })
  after(async () => {
    await current.kill('SIGTERM')
    const report = await rebuildReadModels(place.config, recordingLog(), true)
    expect(report.differences).to.deep.equal([])
    await points.close()
    await place.drop()
  })

  const send = (method: string, path: string, body?: object, as = admin): Promise<Json> =>
    ask(current.url, as.cookie, method, path, body)
  const ok = async (method: string, path: string, body?: object, as = admin): Promise<Json> => {
    const answer = await send(method, path, body, as)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.within(200, 299)
    return answer.body
  }
  const group = async (): Promise<string> =>
    (await ok('POST', '/groups', { name: `Group ${String(++names)}` })).id
  const accessPackage = async (groupIds: readonly string[], more: object = {}): Promise<string> => {
    const { id } = await ok('POST', '/access-packages', {
      name: `Package ${String(++names)}`,
      grants: groupIds.map((groupId) => ({ type: 'group', groupId })),
      requesterJustificationRequired: false,
      ...more,
    })
    await ok('POST', `/access-packages/${String(id)}/publish`)
    return id
  }
  const groupsOf = async ({ userId }: TestPerson): Promise<readonly string[]> =>
    (await ok('GET', `/users/${userId}/groups`)).map(({ id }: Json) => id)

  /** Kills the service at each step; every run must leave the events of one that nothing disturbs. */
  const killedEverywhere = async (prepared: () => Promise<Scene>): Promise<void> => {
    const finished = async ({ start, isDone, check }: Scene): Promise<void> => {
      await start()
      await until(isDone, WAIT, 'the end')
      await check()
    }
    const undisturbed = await prepared()
    const began = await points.position()
    await finished(undisturbed)
    const expected = await points.eventsAfter(began)
    const steps = Object.values(expected).reduce((sum, n) => sum + n, 0)
    for (let step = 1; step <= steps; step++) {
      const scene = await prepared()
      const from = await points.position()
      await points.arm(step)
      const asked = scene.start()
      await until(points.reached, WAIT, `step ${String(step)} of ${String(steps)}`)
      await current.kill('SIGKILL')
      await points.release(step % 2 === 0 ? 'recorded' : 'lost')
      await asked
      current = await serve(setting)
      await finished(scene)
      expect(await points.eventsAfter(from), `killed at step ${String(step)}`).to.deep.equal(expected)
    }
    console.log(`      ${String(steps)} steps`)
  }

  it('GOV-01 EVT-02 an approved request is delivered once, with all of its groups', async () => {
    const groups = [await group(), await group()]
    const stage = {
      approvers: { type: 'users', ids: [approver.userId] },
      ...{ mode: 'any', timeoutHours: 24, justificationRequired: false },
    }
    const packageId = await accessPackage(groups, { approval: { required: true, stages: [stage] } })
    await killedEverywhere(async () => {
      const person = people.pop()!
      const { id } = await ok('POST', '/me/access-requests', { packageId }, person)
      const path = `/access-requests/${String(id)}`
      return {
        start: () => send('POST', `${path}/approve`, {}, approver),
        isDone: async () => (await send('GET', path)).body.status === 'delivered',
        check: async () => {
          expect(await groupsOf(person)).to.have.members(groups)
          const held = await ok('GET', `/access-packages/${packageId}/assignments?userId=${person.userId}`)
          expect(held.map(({ status, requestId }: Json) => [status, requestId])).to.deep.equal([
            ['active', id],
          ])
        },
      }
    })
  })

  it('GOV-02 EVT-02 a review is applied once, to everything that was revoked and nothing else', async () => {
    await killedEverywhere(async () => {
      const [byHand, byPackage, kept] = [people.pop()!, people.pop()!, approver]
      const groupId = await group()
      for (const { userId } of [byHand, kept]) await ok('PUT', `/groups/${groupId}/members/${userId}`, {})
      const packageId = await accessPackage([groupId])
      await ok('POST', `/access-packages/${packageId}/assignments`, { userId: byPackage.userId })
      const { id } = await ok('POST', '/access-reviews', {
        name: `Review ${String(++names)}`,
        scope: { type: 'group', ids: [groupId] },
        stages: [{ type: 'users', ids: [admin.userId], fallbackIds: [] }],
        schedule: { startsAt: new Date(Date.now() + 86_400_000).toISOString() },
      })
      const path = `/access-reviews/${String(id)}`
      await ok('POST', `${path}/start`)
      await until(async () => (await ok('GET', path)).openedAt !== null, WAIT, 'the items')
      const items = await ok('GET', `${path}/items`)
      const revoked = items.filter(({ userId }: Json) => userId !== kept.userId)
      await ok('POST', `${path}/items/decide`, {
        ...{ itemIds: revoked.map((item: Json) => item.id), decision: 'revoked', justification: 'Left' },
      })
      const keep = items.find(({ userId }: Json) => userId === kept.userId)
      await ok('POST', `${path}/items/${String(keep.id)}/decide`, { decision: 'approved' })
      return {
        start: () => send('POST', `${path}/complete`),
        isDone: async () => (await send('GET', path)).body.status === 'completed',
        check: async () => {
          const { counts } = await ok('GET', path)
          expect(counts).to.deep.include({ approved: 1, revoked: 2, applied: 2, failed: 0, manual: 0 })
          const members = await ok('GET', `/groups/${groupId}/members`)
          expect(members.map(({ userId }: Json) => userId)).to.deep.equal([kept.userId])
        },
      }
    })
  })
})
