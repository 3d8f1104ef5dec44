import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { noLimits } from '../../adapters/inbound/http/rate-limit-rules.ts'
import type { Config } from '../../cli/server/config.ts'

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port)
        else reject(new Error('no port'))
      })
    })
  })

/** Returns the configuration of a service on a benchmark database. */
export const benchConfig = async (databaseUrl: string): Promise<Config> => {
  const port = await freePort()
  return {
    publicUrl: `http://localhost:${String(port)}`,
    listen: { host: '127.0.0.1', port },
    dataDir: tmpdir(),
    dataDirGiven: true,
    secretKey: randomBytes(32).toString('base64url'),
    newSecretKey: undefined,
    database: { kind: 'postgres', url: databaseUrl },
    eventStore: { kind: 'database' },
    eventStorePrefix: '',
    // Users sign in with development sessions, which are valid only in this mode.
    dev: true,
    log: { level: 'warn', format: 'text' },
    trustedProxies: [],
    metricsListen: undefined,
    maxConnections: 4096,
    mail: undefined,
    egressDeny: [],
    dnsServers: [],
    rateLimits: noLimits,
    geoipDatabase: undefined,
    asnDatabase: undefined,
  }
}
