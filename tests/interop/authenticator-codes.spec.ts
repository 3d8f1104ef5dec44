/** Uses codes of the OATH Toolkit, which shares no code with the service or its tests. */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { calmStep, codeAt, invitation } from '../support/sign-in/authenticator.ts'
import { testService, type TestService } from '../support/service/service.ts'
import { requireInstalled } from './daemon.ts'

const program = process.env['OATHTOOL_PATH'] ?? '/usr/bin/oathtool'

const oathtoolCode = (secret: string, steps = 0): string =>
  execFileSync(
    program,
    ['--totp', '--base32', `--now=@${String(Math.floor(Date.now() / 1000) + steps * 30)}`, '-'],
    { input: secret, encoding: 'utf8' },
  ).trim()

describe('authenticator codes of the OATH Toolkit', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    requireInstalled('The OATH Toolkit', [program], 'oathtool')
    service = await testService()
  })
  after(() => service.stop())

  it('SGN-02 one sets up an app, and the next one signs in', async () => {
    await calmStep()
    const { email, path } = await invitation(service)
    const { body: setup } = await service.api('POST', `${path}/authenticator`)
    const code = oathtoolCode(setup.secret)
    const { ceremonyId } = setup
    const added = await service.api('POST', `${path}/authenticator/verify`, { body: { ceremonyId, code } })
    expect(added.status, JSON.stringify(added.body)).to.equal(200)
    const next = oathtoolCode(setup.secret, 1)
    expect((await service.api('POST', '/auth/code', { body: { email, code: next } })).status).to.equal(200)
  })

  it('SGN-02 equal those that other tests use', async () => {
    await calmStep()
    for (const secret of ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'])
      for (const steps of [-1, 0, 1]) expect(codeAt(secret, steps)).to.equal(oathtoolCode(secret, steps))
  })
})
