import { expect } from 'chai'
import pg from 'pg'
import { accessWorld, type AccessWorld, type Json } from '../../support/api/access-packages.ts'
import { testPlace, testService, type TestPlace, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

const DAY_MS = 86_400_000
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

/** Lets the consumer start from the beginning. */
const forget = async ({ databaseUrl }: TestPlace): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rowCount } = await client.query(`delete from work.checkpoint where name = 'package-delivery'`)
  await client.end()
  expect(rowCount).to.equal(1)
}

describe('the delivery of access packages', function () {
  this.timeout(60_000)
  let place: TestPlace
  let w: AccessWorld
  before(async () => {
    place = await testPlace()
    w = await accessWorld(place)
  })
  after(() => place.drop())

  /** Runs every kind of change, so that a delivery that ran twice would undo some of them. */
  const history = async (): Promise<void> => {
    const duration = { default: 'P1D', max: 'P60D', requesterMayChoose: true }
    const [plain, changed, emptied] = [
      await w.accessPackage({ duration }),
      await w.accessPackage({ duration, ...w.approvedBy(w.stage({ type: 'manager' })) }),
      await w.accessPackage(),
    ]
    const first = await w.read((await w.request(plain.id)).id)
    // Taken away after its delivery.
    await w.ok('DELETE', `/access-packages/${String(plain.id)}/assignments/${String(first.assignmentId)}`)
    const { id } = await w.request(changed.id)
    await w.decide(id, 'approve', w.manager)
    const extension = await w.request(changed.id, { type: 'extend', requestedDuration: 'P30D' })
    await w.decide(extension.id, 'approve', w.manager)
    // Shortened after its extension.
    const { assignmentId } = await w.read(id)
    const path = `/access-packages/${String(changed.id)}/assignments/${String(assignmentId)}`
    await w.ok('PATCH', path, { expiresAt: inDays(2) })
    await w.request(emptied.id)
    await w.request(emptied.id, { type: 'remove' })
    await w.request(emptied.id)
    // Another group instead, and the first one by hand.
    await w.ok('PATCH', `/access-packages/${String(emptied.id)}`, {
      grants: [{ type: 'group', groupId: await w.group() }],
    })
    await w.ok('PUT', `/groups/${w.grantedBy(emptied)}/members/${w.ada.userId}`, {})
    const later = await w.request(plain.id, { startsAt: inDays(1) }, w.owner)
    expect((await w.read(later.id)).status).to.equal('scheduled')
    const gone = await w.service.person({ managerId: w.manager.userId })
    await w.request(changed.id, {}, gone)
    await w.ok('DELETE', `/users/${gone.userId}`)
  }

  const everything = async (service: TestService): Promise<Json> => {
    const read = async (path: string) => (await service.api('GET', path, { as: w.admin })).body
    const packages = await read('/access-packages?limit=200')
    return {
      packages,
      requests: await read('/access-requests?limit=200'),
      assignments: await Promise.all(
        packages.map(({ id }: Json) => read(`/access-packages/${String(id)}/assignments`)),
      ),
      access: await read(`/users/${w.ada.userId}/groups`),
    }
  }

  it('GOV-01 EVT-03 records nothing again when all of it is repeated from the beginning', async () => {
    await history()
    await until(
      async () => (await w.ok('GET', '/access-requests?status=pending')).length === 0,
      5000,
      'the cancelled request',
    )
    const before = await everything(w.service)
    const head = await w.service.core.eventLog.head()
    const reached = async ({ core: { workPool } }: TestService): Promise<string> => {
      const { rows } = await workPool.query<{ position: string }>(
        `select position from work.checkpoint where name = 'package-delivery'`,
      )
      return rows[0]?.position ?? ''
    }
    const end = await reached(w.service)
    await w.service.stop()
    await forget(place)
    const again = await testService(place)
    try {
      await until(async () => (await reached(again)) >= end, 20_000, 'the end of the repetition')
      expect(await everything(again)).to.deep.equal(before)
      expect(await again.core.eventLog.head(), 'nothing was recorded').to.equal(head)
    } finally {
      await again.stop()
    }
  })
})
