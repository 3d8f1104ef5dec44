/** Chooses the engine of the event log by its URL. */
import type { EventLog, RetentionPolicy } from './event-log.ts'
import { openPostgresLog } from './postgres.ts'
import { prefixedLog } from './prefixed.ts'

export interface OpenOptions {
  /** Prefix of our stream names in a store that others use too; '' for a dedicated store */
  readonly prefix?: string
  readonly retention: RetentionPolicy
  /** Milliseconds for connecting, if the engine has such a limit */
  readonly connectTimeout?: number
  /** Milliseconds after which an append fails */
  readonly appendTimeout?: number
  /** Called for failures that the log retries. */
  readonly log?: (message: string, error: unknown) => void
}

type EngineOptions = Omit<OpenOptions, 'prefix'>

/**
 * Opens the log at `postgres://…`, `postgresql://…`, `esdb://…` or `esdb+discover://…`.
 * @throws Error naming the schemes if the URL has another one; EventLogUnavailable if the engine does not respond
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
