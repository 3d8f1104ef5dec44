import { openEventStoreLog } from '../../adapters/engines/event-log/eventstoredb.ts'
import { startStandIn } from '../support/event-log/eventstore-stand-in/server.ts'
import { contract } from './contract.ts'
import type { Engine } from './engine.ts'

/** The server itself measures age, so the test can only wait. */
const expire: Engine['expire'] = (_, seconds) =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000 + 500))

/**
 * Needs a dedicated server, freshly started because every instance reads all of its events, and with
 * `--max-append-size 4194304`, because one payload exceeds the default of 1 MiB.
 */
const eventStoreUrl = process.env['SVC_TEST_EVENTSTORE_URL']

describe('event log in EventStoreDB', function () {
  this.timeout(20_000)
  contract(async (): Promise<Engine> => {
    if (eventStoreUrl !== undefined && eventStoreUrl !== '') {
      return {
        // A server on a small machine pauses for seconds under this load.
        open: (retention) =>
          openEventStoreLog({ connectionString: eventStoreUrl, retention, appendTimeout: 15_000 }),
        expire,
        close: () => Promise.resolve(),
      }
    }
    const server = await startStandIn()
    return {
      open: (retention) => openEventStoreLog({ connectionString: server.url, retention }),
      cutSubscriptions: () => Promise.resolve(server.cutSubscriptions()),
      expire,
      close: server.stop,
    }
  })
})
