/** The event log in EventStoreDB or KurrentDB, one node or a cluster. */
import { setMaxListeners } from 'node:events'
import { EventStoreDBClient } from '@eventstore/db-client'
import { EventLogUnavailable } from './event-log.ts'
import type { EventLog, RetentionPolicy } from './event-log.ts'
import { createAppender } from './eventstoredb/appender.ts'
import { READ_TIMEOUT_MS, readAllEvents, readHead, readStreamEvents } from './eventstoredb/reads.ts'
import { follow } from './eventstoredb/subscription.ts'
import { checkedAppends } from './new-events.ts'

export interface EventStoreLogOptions {
  /** `esdb://…` or `esdb+discover://…` */
  readonly connectionString: string
  /** Written to a new stream as `$maxAge`: later changes of the policy need `setRetention`. */
  readonly retention: RetentionPolicy
  /** Milliseconds after which an append fails with EventLogUnavailable; default 1800. */
  readonly appendTimeout?: number
  /** Maximum number of waiting appends in this process; further ones are rejected. Default 10000. */
  readonly maxWaiting?: number
  /** Called for failures that are retried, and for a wrong configuration. */
  readonly log?: (message: string, error: unknown) => void
  /** 0 to 1, for the jitter of retries */
  readonly random?: () => number
}

const CHECK_TIMEOUT_MS = 1_500

const connect = (connectionString: string): EventStoreDBClient => {
  try {
    return EventStoreDBClient.connectionString(connectionString)
  } catch {
    // The client's own message quotes the string with its password.
    throw new Error(
      'the event store URL is not well-formed: expected esdb://[user:password@]host:port[?tls=false]',
    )
  }
}

/**
 * Opens the log; connects at first use.
 * @throws Error if the connection string is not well-formed
 */
export const openEventStoreLog = (options: EventStoreLogOptions): Promise<EventLog> => {
  const { connectionString, retention, random = Math.random, log = () => undefined } = options
  const client = connect(connectionString)
  if (/^[^?]*@.*tls=false/i.test(connectionString)) {
    log('the event store URL has credentials and tls=false: without TLS they are not sent', undefined)
  }
  const closing = new AbortController()
  // One listener for each consumer is no leak.
  setMaxListeners(0, closing.signal)
  const appender = createAppender({
    client,
    retention,
    appendTimeout: options.appendTimeout ?? 1_800,
    maxWaiting: options.maxWaiting ?? 10_000,
    random,
    log,
  })

  const reading = async <T>(read: () => Promise<T>): Promise<T> => {
    if (closing.signal.aborted) throw new EventLogUnavailable('the log is closed')
    try {
      return await read()
    } catch (error) {
      const said = error instanceof Error ? error.message : 'no answer'
      throw new EventLogUnavailable(`EventStoreDB: ${said}`, { cause: error })
    }
  }

  const eventLog: EventLog = {
    ...checkedAppends((append) => appender.append(append)),
    readStream: (stream, { from = 0, limit } = {}) =>
      reading(() => readStreamEvents(client, stream, from, limit)),
    readAll: (after, limit) => reading(() => readAllEvents(client, after, limit)),
    subscribe: (after, subscribeOptions = {}) =>
      follow(after, { ...subscribeOptions, client, random, log, closing: closing.signal }),
    head: () => reading(() => readHead(client, READ_TIMEOUT_MS)),
    // The server hides events older than $maxAge immediately and deletes them during a scavenge.
    prune: () => Promise.resolve(),
    setRetention: (streams) => reading(() => appender.setRetention(streams)),
    check: async () => {
      await reading(() => readHead(client, CHECK_TIMEOUT_MS))
    },
    close: async () => {
      closing.abort()
      await appender.close()
      await client.dispose()
    },
  }
  return Promise.resolve(eventLog)
}
