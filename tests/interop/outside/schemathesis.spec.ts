/** Schemathesis, with all of its checks and phases, finds nothing but what is listed with its reason. */
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { apiKey } from '../../support/api/api-keys.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { readReport } from './schemathesis-report.ts'
import { ended, programs, pythonPackages, versions, workplace } from './tools.ts'

describe('Schemathesis', function () {
  this.timeout(7_200_000)
  let service: TestService
  const ends: (() => Promise<unknown>)[] = []
  before(async () => {
    service = await testService()
    ends.unshift(() => service.stop())
  })
  after(async () => {
    for (const end of ends) await end()
  })

  /** Hands out a session and a key of a global administrator: requests revoke them. */
  const credentials = async (): Promise<string> => {
    const server = createServer((_, response) => {
      void (async () => {
        const person = await service.person({}, ['global_admin'])
        const { key } = await apiKey(service, { roles: ['global_admin'] })
        response.end(JSON.stringify({ session: person.cookie, api_key: key }))
      })()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.unshift(() => new Promise((resolve) => server.close(resolve)))
    const address = server.address()
    return `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : '')}/`
  }

  it('finds nothing that is not listed with its reason', async () => {
    const { folder, remove } = await workplace()
    ends.push(remove)
    const bin = await pythonPackages(folder, `schemathesis==${versions.schemathesis}`)
    const report = join(folder, 'report.ndjson')
    await mkdir(join(folder, 'run'))
    const seed = process.env['SVC_TEST_SEED'] ?? '1'
    const args = ['run', `${service.publicUrl}/api/v1/openapi.yaml`, '--seed', seed, '--workers', '2']
    // A test delivery to a webhook endpoint that does not answer takes longer than the usual ten seconds.
    const more = ['--continue-on-failure', '--request-timeout', '40', '--report', 'ndjson']
    const { output, errors } = await ended(
      join(bin, 'st'),
      [...args, ...more, '--report-ndjson-path', report],
      {
        cwd: join(folder, 'run'),
        env: {
          SCHEMATHESIS_HOOKS: 'svc_hooks',
          PYTHONPATH: join(programs, 'schemathesis'),
          CREDENTIALS_URL: await credentials(),
        },
      },
    )
    const { requests, reasons, unexpected } = await readReport(report)
    console.log(`        ${String(requests)} requests`)
    for (const [why, times] of reasons) console.log(`        ${String(times)} × ${why}`)
    expect(requests, output + errors).to.be.greaterThan(10_000)
    expect([...unexpected]).to.deep.equal([])
  })
})
