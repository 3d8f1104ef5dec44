/** Chooses the event log's engine by its URL. */
import type { EventLog, RetentionPolicy } from './event-log.ts'
import { openPostgresLog } from './postgres.ts'
import { prefixedLog } from './prefixed.ts'

export interface OpenOptions {
  /** Beginning of our streams' names in a store that others use too; '' for a store of our own. */
  readonly prefix?: string
  readonly retention: RetentionPolicy
  /** Milliseconds for connecting, where that is the engine's to decide. */
  readonly connectTimeout?: number
  /** Milliseconds within which an append is answered. */
  readonly appendTimeout?: number
  /** Called for failures that the log retries. */
  readonly log?: (message: string, error: unknown) => void
}

type EngineOptions = Omit<OpenOptions, 'prefix'>

/**
 * Opens the log at `postgres://…`, `postgresql://…`, `esdb://…` or `esdb+discover://…`.
 * @throws Error naming the schemes when the URL has another; EventLogUnavailable when the engine does not answer
 */
export const openEventLog = async (url: string, options: OpenOptions): Promise<EventLog> => {
  const { prefix = '', retention, ...others } = options
  const log = await openEngine(url, {
    ...others,
    retention: (category) =>
      retention(category.startsWith(prefix) ? category.slice(prefix.length) : category),
  })
  return prefix === '' ? log : prefixedLog(log, prefix)
}

const openEngine = async (url: string, options: EngineOptions): Promise<EventLog> => {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url.trim())?.[1]?.toLowerCase()
  const connectionString = url.trim()
  switch (scheme) {
    case 'postgres':
    case 'postgresql':
      return openPostgresLog({ connectionString, ...options })
    case 'esdb':
    case 'esdb+discover': {
      const { openEventStoreLog } = await import('./eventstoredb.ts')
      return openEventStoreLog({ connectionString, ...options })
    }
    default:
      throw new Error(
        `the event log's URL must begin with postgres://, postgresql://, esdb:// or esdb+discover://` +
          (scheme === undefined ? '' : `, not ${scheme}://`),
      )
  }
}
