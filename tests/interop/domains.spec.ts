/** Domains with a real DNS server (dnsmasq), on loopback. */
import { expect } from 'chai'
import { openResolver } from '../../adapters/engines/egress/text-records.ts'
import { freePort, testPlace, testService } from '../support/service/service.ts'
import { requireInstalled, startDaemon, type Daemon } from './daemon.ts'

const DNSMASQ = '/usr/sbin/dnsmasq'

describe('Domains with dnsmasq', function () {
  this.timeout(60_000)
  before(() => requireInstalled('dnsmasq', [DNSMASQ], 'dnsmasq-base'))

  /** Runs work with a server that knows these TXT records and no other name. */
  const withServer = async (
    port: number,
    records: readonly (readonly [name: string, ...strings: string[]])[],
    work: () => Promise<void>,
  ): Promise<void> => {
    let server: Daemon | undefined
    try {
      server = await startDaemon(
        DNSMASQ,
        [
          ...['--keep-in-foreground', '--no-resolv', '--no-hosts', '--conf-file=/dev/null', '--user=root'],
          ...[
            '--listen-address=127.0.0.1',
            '--bind-interfaces',
            `--port=${String(port)}`,
            '--local=/example/',
          ],
          ...records.map((record) => `--txt-record=${record.join(',')}`),
        ],
        {
          ready: async () => {
            const answer = await openResolver([`127.0.0.1:${String(port)}`])
              .textRecords('ready.example')
              .catch(() => null)
            return answer !== null
          },
        },
      )
      await work()
    } finally {
      await server?.stop()
    }
  }

  it('API-12 a domain is verified by its record, and not without it or without a server', async () => {
    const port = await freePort()
    const place = await testPlace({ dnsServers: [`127.0.0.1:${String(port)}`] })
    const service = await testService(place)
    try {
      const as = await service.person({}, ['security_admin'])
      const { body } = await service.api('POST', '/domains', { as, body: { name: 'real.example' } })
      const verify = async () => {
        const answer = await service.api('POST', `/domains/${String(body.id)}/verify`, { as })
        return [answer.status, answer.body.error?.code ?? answer.body.status]
      }
      const other = [body.recordName, 'v=spf1 -all'] as const
      await withServer(port, [other], async () => {
        expect(await verify()).to.deep.equal([422, 'ERR_NOT_VERIFIED'])
      })
      expect(await verify()).to.deep.equal([503, 'ERR_UNAVAILABLE'])
      const value = String(body.recordValue)
      await withServer(port, [other, [body.recordName, value.slice(0, 9), value.slice(9)]], async () => {
        expect(await verify()).to.deep.equal([200, 'verified'])
      })
    } finally {
      await service.stop()
      await place.drop()
    }
  })
})
