/** An attacker tries a few codes for each of many users: too few to reach the limit of any user. */
import { expect } from 'chai'
import { codeGuesses } from '../../../adapters/application/sign-in/code-guesses.ts'
import { codeAt, enrolledDevice, wrongCode } from '../../support/sign-in/authenticator.ts'
import { audited } from '../../support/audit/audit.ts'
import {
  freePort,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

describe('SGN-07 code guessing across users', function () {
  this.timeout(120_000)
  let place: TestPlace
  let service: TestService
  let metricsPort: number
  before(async () => {
    metricsPort = await freePort()
    place = await testPlace({
      trustedProxies: ['127.0.0.1/32', '::1/128'],
      metricsListen: { host: '127.0.0.1', port: metricsPort },
    })
    // Its duties would check for guessing, too, and a check that began in one test would end in the next.
    service = await testService(place, { duties: false })
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })
  afterEach(() =>
    service.core.workPool.query('truncate work.stranger_code, work.code_guessing, work.code_tries'),
  )

  const enter = async (email: string, code: string, ip: string, device?: string): Promise<number> => {
    const { status } = await service.api('POST', '/auth/code', {
      body: { email, code },
      headers: { 'X-Forwarded-For': ip, ...(device === undefined ? {} : { Cookie: device }) },
    })
    return status
  }
  /** Enters one wrong code for each of many addresses, each from another network. */
  const guess = async (addresses: number): Promise<void> => {
    for (let n = 0; n < addresses; n++)
      expect(await enter(`guessed${String(n)}@example.com`, '000000', `10.2.0.${String(n)}`)).to.equal(401)
  }
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`)).text()
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return Number(line?.split(' ')[1])
  }
  /** Other risks, such as a sign-in on a new device, are detected here as well. */
  const detected = async () => {
    const admin = await service.person({}, ['auditor'])
    const { body } = await service.api('GET', '/audit?action=risk_event.detect', { as: admin })
    return (body as { summary: string; targetType: string }[]).filter(({ summary }) =>
      summary.startsWith('Detected code guessing'),
    )
  }

  it('one network has sixty wrong codes an hour for all users together; others are unaffected', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 62; n++)
      statuses.push(await enter(`sprayed${String(n)}@example.com`, '000000', '192.0.2.1'))
    expect(statuses.filter((status) => status === 401)).to.have.length(60)
    expect(statuses.slice(-2)).to.deep.equal([429, 429])
    const ada = await enrolledDevice(service)
    expect(await enter(ada.email, codeAt(ada.secret), '192.0.2.1'), 'a stranger there').to.equal(429)
    expect(await enter(ada.email, codeAt(ada.secret), '192.0.2.1', ada.device), 'known').to.equal(200)
    expect(await enter(ada.email, codeAt(ada.secret, 1), '192.0.2.2'), 'elsewhere').to.equal(200)
  })

  it('is reported once, even if several instances check, and slows down only unknown devices', async () => {
    const ada = await enrolledDevice(service)
    const earlier = (await detected()).length
    const before = await metric('svc_wrong_codes_total{typer="stranger"}')
    await guess(110)
    expect(await metric('svc_wrong_codes_total{typer="stranger"}')).to.equal(before + 110)
    const guesses = codeGuesses(service.core.services)
    await Promise.all(Array.from({ length: 5 }, () => guesses.watch()))
    await guesses.watch()
    await audited(service)
    const events = await detected()
    expect(events).to.have.length(earlier + 1)
    expect(events[0]).to.include({ targetType: 'risk_event' })
    expect(events[0]?.summary).to.match(/1\d\d wrong codes for \d+ addresses in 10 minutes/)
    expect(await metric('svc_code_guessing')).to.equal(1)
    expect(await metric('svc_code_guessing_alarms_total')).to.be.greaterThan(0)

    const wrong = wrongCode(ada.secret)
    expect(await enter(ada.email, wrong, '192.0.2.10')).to.equal(401)
    expect(await enter(ada.email, wrong, '192.0.2.10'), 'a second of the kind').to.equal(429)
    expect(await enter(ada.email, wrong, '192.0.2.11')).to.equal(401)
    expect(await enter(ada.email, wrong, '192.0.2.12')).to.equal(401)
    expect(await enter(ada.email, wrong, '192.0.2.13'), 'a fourth of the day').to.equal(429)
    for (let n = 0; n < 4; n++) expect(await enter(ada.email, wrong, '192.0.2.10', ada.device)).to.equal(401)
    expect(await enter(ada.email, codeAt(ada.secret), '192.0.2.10', ada.device)).to.equal(200)
    const options = await service.api('POST', '/auth/passkey/options', { body: {} })
    expect(options.status, 'passkeys').to.equal(200)
  })

  it('ends an hour after the last attempt, and the next episode is reported again', async () => {
    const earlier = (await detected()).length
    await guess(100)
    const guesses = codeGuesses(service.core.services)
    await guesses.watch()
    await service.core.workPool.query('delete from work.stranger_code')
    await guesses.watch()
    expect((await guesses.figures()).alarm, 'quiet for a moment').to.equal(true)
    await service.core.workPool.query(`update work.code_guessing set seen_at = now() - interval '61 minutes'`)
    await guesses.watch()
    expect((await guesses.figures()).alarm).to.equal(false)
    await service.core.workPool.query('truncate work.code_tries')
    await guess(100)
    await guesses.watch()
    await audited(service)
    expect(await detected()).to.have.length(earlier + 2)
  })

  it('is reported even if the instance that detected it was interrupted', async () => {
    const earlier = (await detected()).length
    await guess(100)
    const silent = codeGuesses({
      ...service.core.services,
      handle: () => Promise.reject(new Error('the log is unavailable')),
    })
    await silent.watch().catch(() => undefined)
    const listen = { host: '127.0.0.1', port: await freePort() }
    const other = await testService({
      ...place,
      config: { ...place.config, listen, metricsListen: undefined },
    })
    try {
      await until(async () => (await detected()).length === earlier + 1, 20_000, 'maintenance reports it')
    } finally {
      await other.stop()
    }
  })

  it('is not detected for many wrong codes for a few users', async () => {
    const guesses = codeGuesses(service.core.services)
    for (let n = 0; n < 200; n++) await guesses.note(`network ${String(n)}`, `person ${String(n % 10)}`)
    await guesses.watch()
    expect((await guesses.figures()).alarm).to.equal(false)
  })
})
