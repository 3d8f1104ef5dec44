import { openEventStoreLog } from '../../adapters/event-log/eventstoredb.ts'
import { startStandIn } from '../support/eventstore-stand-in/server.ts'
import { contract } from './contract.ts'
import type { Engine } from './contract.ts'

/** The server itself measures age, so there is nothing to do but wait until it has passed. */
const expire: Engine['expire'] = (_, seconds) =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000 + 500))

const given = process.env['SVC_TEST_EVENTSTORE_URL']

describe('event log in EventStoreDB', function () {
  this.timeout(20_000)
  contract(async (): Promise<Engine> => {
    if (given !== undefined && given !== '') {
      return {
        open: (retention) => openEventStoreLog({ connectionString: given, retention }),
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
