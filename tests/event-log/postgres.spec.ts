import pg from 'pg'
import { openPostgresLog } from '../../adapters/engines/event-log/postgres.ts'
import { testDatabase } from '../support/service/postgres.ts'
import { contract } from './contract.ts'

describe('event log in Postgres', function () {
  this.timeout(20_000)
  contract(async () => {
    const database = await testDatabase()
    const admin = new pg.Client({ connectionString: database.url })
    await admin.connect()
    return {
      open: (retention) => openPostgresLog({ connectionString: database.url, retention }),
      cutSubscriptions: async () => {
        await admin.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        )
      },
      expire: (log, seconds) => log.prune(new Date(Date.now() + (seconds + 60) * 1000)),
      close: async () => {
        await admin.end()
        await database.drop()
      },
    }
  })
})
