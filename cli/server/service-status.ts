import type pg from 'pg'
import type { ServiceStatus } from '../../adapters/application/services/service-status.ts'
import type { EventLog } from '../../adapters/engines/event-log/event-log.ts'
import type { CheckpointWatch } from '../../adapters/engines/postgres/checkpoint-watch.ts'
import type { Runner } from '../../projections/runner.ts'

/** Returns the state of the event log and of every consumer of it. */
export const serviceStatus =
  (deps: {
    readonly pool: pg.Pool
    readonly eventLog: EventLog
    readonly eventStoreUrl: string
    readonly watch: Pick<CheckpointWatch, 'otherVersions'>
    readonly runners: readonly Pick<Runner, 'name' | 'status'>[]
  }) =>
  async (): Promise<ServiceStatus> => {
    const { pool, eventLog, eventStoreUrl, watch, runners } = deps
    const [head, { rows }] = await Promise.all([
      eventLog.head(),
      pool.query<{ name: string; position: string }>(
        'select name, position from checkpoint union all select name, position from work.checkpoint',
      ),
    ])
    return {
      eventLog: { engine: eventStoreUrl.startsWith('postgres') ? 'postgres' : 'eventstoredb', head },
      consumers: runners.map((runner) => {
        const { name } = runner
        const { state, caughtUp, failure } = runner.status()
        return {
          name,
          state,
          position: rows.find((row) => row.name === name)?.position ?? '',
          caughtUp: state === 'waiting' ? null : caughtUp,
          failedEventId: failure?.eventId ?? null,
        }
      }),
      otherVersions: watch.otherVersions(),
    }
  }
