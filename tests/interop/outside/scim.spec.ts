/** Checkers of SCIM servers find nothing but the deviations that `infra/docs/scim.md` describes. */
import { join } from 'node:path'
import { expect } from 'chai'
import { apiKey } from '../../support/api/api-keys.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { ended, output, programs, pythonPackages, versions, workplace } from './tools.ts'

interface Result {
  readonly title: string
  readonly status: 'SUCCESS' | 'ERROR' | 'SKIPPED'
  readonly reason: string
  readonly resource: string
}
interface Probe {
  readonly summary: { readonly total: number; readonly passed: number }
  readonly results: readonly { readonly name: string; readonly status: string; readonly message: string }[]
}

/** What scim2-tester expects otherwise, and why this server does it. */
const deviations: readonly (readonly [RegExp, string])[] = [
  [/unexpected value for '(?:phoneNumbers|emails)'/, 'The one that is stored is the primary one.'],
  [/unexpected value for '.*:User(?::manager)?'/, 'displayName of managers is the name of that user.'],
  [/unexpected value for 'members'/, 'display of members is the name of that user.'],
  [/did not remove attribute '(?:name|displayName|active)'/, 'These are always present.'],
]

describe('SCIM checkers', function () {
  this.timeout(300_000)
  let service: TestService
  let bin: string
  let env: Record<string, string>
  let remove: () => Promise<void>
  before(async () => {
    const place = await workplace()
    remove = place.remove
    bin = await pythonPackages(
      place.folder,
      `scim2-tester==${versions.scim2Tester}`,
      `scim-sanity==${versions.scimSanity}`,
      'httpx2',
    )
    service = await testService()
    const { key } = await apiKey(service, { roles: ['global_admin'], scopes: ['scim'] })
    env = { SCIM_URL: `${service.publicUrl}/scim/v2`, SCIM_TOKEN: key }
  })
  after(async () => {
    await service.stop()
    await remove()
  })

  it('scim2-tester', async () => {
    const printed = await output(join(bin, 'python'), [join(programs, 'python', 'scim_check.py')], { env })
    const results = JSON.parse(printed) as readonly Result[]
    const of = (status: Result['status']) => results.filter((result) => result.status === status)
    console.log(
      `        ${String(of('SUCCESS').length)} of ${String(results.length)}, ${String(of('SKIPPED').length)} skipped`,
    )
    expect(of('SUCCESS')).to.have.length.greaterThan(77)
    expect(
      of('ERROR').filter(({ reason }) => !deviations.some(([known]) => known.test(reason))),
    ).to.deep.equal([])
  })

  it('scim-sanity', async () => {
    const probe = ['probe', env['SCIM_URL'] ?? '', '--token', env['SCIM_TOKEN'] ?? '', '--json-output']
    const { output: printed, errors } = await ended(join(bin, 'scim-sanity'), [
      ...probe,
      ...['--i-accept-side-effects', '--user-domain', 'example.com'],
    ])
    expect(printed, errors).to.include('{')
    const { summary, results } = JSON.parse(printed) as Probe
    console.log(`        ${String(summary.passed)} of ${String(summary.total)}`)
    // It adds a member that does not exist.
    const failed = results.filter(({ status, name }) => status === 'fail' && !name.endsWith('add member'))
    expect(failed).to.deep.equal([])
    expect(summary.passed).to.be.greaterThan(26)
  })
})
