import { expect } from 'chai'
import { migrateSchema } from '../../adapters/engines/postgres/migrate.ts'
import { inTransaction } from '../../read-models/transaction.ts'
import { endLeases, LeaseLost, tryLease, type Lease } from '../../projections/lease.ts'
import { readModels, type ReadModels } from '../support/event-log/projection.ts'
import { until } from '../support/until.ts'

describe('the lease of a consumer', function () {
  this.timeout(30_000)
  let models: ReadModels
  before(async () => {
    models = await readModels()
    await migrateSchema(models.pool, 'work')
  })
  after(() => models.drop())

  const take = async (name: string, holder: string): Promise<Lease> => {
    const lease = await tryLease(models.pool, name, holder)
    if (lease === null) throw new Error('the lease is held')
    return lease
  }
  const expire = (name: string) =>
    models.pool.query(`update work.lease set expires_at = '-infinity' where name = $1`, [name])

  it('EVT-01 is held by one at a time, and free once released', async () => {
    const first = await take('a', 'one')
    expect(await tryLease(models.pool, 'a', 'two')).to.equal(null)
    await first.release()
    await (await take('a', 'two')).release()
  })

  it('EVT-01 rejects the late commit of a holder that was suspended', async () => {
    const sleeper = await take('b', 'one')
    await expire('b')
    const other = await take('b', 'two')
    const late = await inTransaction(models.pool, (client) => sleeper.assertHeld(client)).catch(
      (error: unknown) => error,
    )
    expect(late).to.be.instanceOf(LeaseLost)
    expect(sleeper.signal.aborted).to.equal(true)
    await inTransaction(models.pool, (client) => other.assertHeld(client))
    await sleeper.release()
    await inTransaction(models.pool, (client) => other.assertHeld(client))
    await other.release()
  })

  it('EVT-01 passes on within five seconds if its holder stops responding', async () => {
    await models.pool.query(
      `insert into work.lease values ('c', 'gone', 1, clock_timestamp() + interval '3 seconds')`,
    )
    let next: Lease | null = null
    await until(async () => (next = await tryLease(models.pool, 'c', 'two')) !== null, 5000)
    await (next as unknown as Lease).release()
  })

  it('EVT-01 passes immediately when a restarted database ends all leases, and the old holder can no longer write', async () => {
    const old = await take('started', 'one')
    await endLeases(models.pool)
    const next = await take('started', 'two')
    const late = await inTransaction(models.pool, (client) => old.assertHeld(client)).catch(
      (error: unknown) => error,
    )
    expect(late).to.be.instanceOf(LeaseLost)
    await next.release()
  })
})
