import { expect } from 'chai'
import { NEVER } from 'rxjs'
import { migrateSchema } from '../../adapters/engines/postgres/migrate.ts'
import { startRunner, type Runner } from '../../projections/runner.ts'
import { readModels, type ReadModels } from '../support/event-log/projection.ts'

describe('a consumer of the log', function () {
  let models: ReadModels
  before(async () => {
    models = await readModels()
    await migrateSchema(models.pool, 'work')
  })
  after(() => models.drop())

  it('EVT-01 stops on request at any time, even if the log returns no events', async () => {
    let stopped: Promise<void> | undefined
    const runner: Runner = startRunner({
      name: 'silent',
      pool: models.pool,
      source: {
        subscribe: () => NEVER,
        read: () => Promise.reject(new Error('the log is unavailable')),
        head: () => Promise.reject(new Error('the log is unavailable')),
      },
      checkpoints: 'work.checkpoint',
      tables: [],
      log: {
        // Called right before it subscribes.
        info: () => {
          stopped = runner.stop()
        },
        warn: () => undefined,
        error: () => undefined,
      },
    })
    while (stopped === undefined) await new Promise((resolve) => setImmediate(resolve))
    await stopped
    expect(runner.status()).to.include({ state: 'running', failure: null })
  })
})
