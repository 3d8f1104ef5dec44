/** The real process meets an unexpected error. */
import { expect } from 'chai'
import { connect } from 'node:net'
import type { LoggedRequest } from '../../adapters/inbound/http/current-request.ts'
import { exitCodes } from '../../cli/server/exit-codes.ts'
import { serve } from '../support/service/processes.ts'
import { testPlace, type TestPlace } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const provoked = new URL('../support/service/provoked-error.mjs', import.meta.url).href

describe('svc serve, after an uncaught error', function () {
  this.timeout(180_000)
  let place: TestPlace
  before(async () => {
    place = await testPlace()
  })
  after(() => place.drop())

  for (const [provocation, kind] of [
    ['timer', 'uncaughtException'],
    ['rejection', 'unhandledRejection'],
  ] as const)
    it(`${kind}: logs the request, accepts no more requests, finishes work in progress and exits for its supervisor`, async () => {
      const setting = { databaseUrl: place.databaseUrl, secretKey: place.config.secretKey ?? '' }
      const started = await serve(setting, {
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${provoked}`.trim(),
        SVC_PUBLIC_URL: 'https://id.example.com',
      })
      // A request in progress: its body has not arrived.
      const running = connect(started.port, '127.0.0.1')
      let answered = ''
      running.setEncoding('utf8').on('data', (chunk: string) => (answered += chunk))
      const body = 'grant_type=client_credentials&client_id=nobody'
      running.write(
        [
          'POST /oauth2/token HTTP/1.1',
          'Host: localhost',
          'Content-Type: application/x-www-form-urlencoded',
          `Content-Length: ${String(body.length)}`,
          '',
          body.slice(0, 10),
        ].join('\r\n'),
      )
      const answer = await fetch(`${started.url}/oauth2/keys?provoke=${provocation}`)
      expect(answer.status).to.equal(200)
      await until(() => started.output().includes('unexpected error'))
      await until(async () => {
        const again = await fetch(`${started.url}/readyz`).catch(() => null)
        await again?.text()
        return again === null || again.status === 503
      })
      expect(started.child.exitCode).to.equal(null)
      running.write(body.slice(10))
      expect(await started.exited).to.equal(exitCodes.unexpected)
      expect(answered).to.match(/^HTTP\/1\.1 401 [\s\S]*invalid_client/)
      const line = started
        .output()
        .split('\n')
        .find((each) => each.includes('unexpected error'))
      const said = JSON.parse(line ?? '{}') as Record<string, unknown>
      expect(said).to.include({ level: 'error', kind })
      const one = said['request'] as LoggedRequest | undefined
      const requests = one === undefined ? (said['requests'] as readonly LoggedRequest[]) : [one]
      expect(requests.map(({ method, path }) => `${method} ${path}`)).to.include('GET /oauth2/keys')
      expect(JSON.stringify(said['err'])).to.contain('provoked by a test')
    })
})
