/** Codes and links that unknown devices try for a certain user, and what the user can still do. */
import { expect } from 'chai'
import { codeAt, enrolledDevice, wrongCode } from '../../support/sign-in/authenticator.ts'
import { ageTries } from '../../support/sign-in/code-tries.ts'
import { testPlace, testService, type TestPlace, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

const WRONG_RECOVERY = '00000-00000'

describe('codes from unknown and known devices', function () {
  this.timeout(120_000)
  let place: TestPlace
  let service: TestService
  before(async () => {
    place = await testPlace({ trustedProxies: ['127.0.0.1/32', '::1/128'] })
    service = await testService(place)
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })

  const enter = async (email: string, code: string, ip: string, device?: string) =>
    service.api('POST', '/auth/code', {
      body: { email, code },
      headers: { 'X-Forwarded-For': ip, ...(device === undefined ? {} : { Cookie: device }) },
    })
  const statuses = async (n: number, ...typed: Parameters<typeof enter>): Promise<readonly number[]> => {
    const results: number[] = []
    for (let i = 0; i < n; i++) results.push((await enter(...typed)).status)
    return results
  }

  it('SGN-02 five wrong codes of an unknown device lock out neither a known device nor another network', async () => {
    const ada = await enrolledDevice(service)
    const wrong = wrongCode(ada.secret)
    expect(await statuses(6, ada.email, wrong, '192.0.2.1')).to.deep.equal([401, 401, 401, 401, 401, 429])
    expect((await enter(ada.email, codeAt(ada.secret), '192.0.2.1', ada.device)).status, 'known').to.equal(
      200,
    )
    expect((await enter(ada.email, codeAt(ada.secret, 1), '192.0.2.2')).status, 'new phone').to.equal(200)
  })

  it('SGN-02 a lockout of unknown devices does not lock out a known device', async () => {
    const ada = await enrolledDevice(service)
    for (let n = 0; n < 30; n++) await enter(ada.email, WRONG_RECOVERY, `192.0.2.${String(n)}`)
    expect((await enter(ada.email, codeAt(ada.secret), '192.0.2.99')).status, 'a stranger').to.equal(429)
    expect((await enter(ada.email, codeAt(ada.secret), '192.0.2.99', ada.device)).status).to.equal(200)
  })

  it('SGN-02 wrong codes on a known device slow down only that device', async () => {
    const ada = await enrolledDevice(service)
    const wrong = wrongCode(ada.secret)
    expect(await statuses(6, ada.email, wrong, '192.0.2.1', ada.device)).to.deep.equal([
      ...[401, 401, 401, 401, 401],
      429,
    ])
    expect((await enter(ada.email, codeAt(ada.secret), '192.0.2.1')).status).to.equal(200)
  })

  it('SGN-02 the device of another user, and a removed one, count as unknown', async () => {
    const [ada, eve] = [await enrolledDevice(service), await enrolledDevice(service)]
    const wrong = wrongCode(ada.secret)
    expect(await statuses(5, ada.email, wrong, '192.0.2.1')).to.deep.equal([401, 401, 401, 401, 401])
    expect((await enter(ada.email, codeAt(ada.secret), '192.0.2.1', eve.device)).status).to.equal(429)
    const { body } = await service.api('GET', '/me/devices', { headers: { Cookie: ada.cookie } })
    const removed = await service.api('DELETE', `/me/devices/${String(body[0].id)}`, {
      headers: { Cookie: ada.cookie },
    })
    expect(removed.status).to.equal(204)
    expect((await enter(ada.email, codeAt(ada.secret), '192.0.2.1', ada.device)).status).to.equal(429)
  })

  it('SGN-02 unknown devices have ten guesses per user in any 24 hours, however long they continue', async () => {
    const ada = await enrolledDevice(service)
    let looked = 0
    for (let hour = 0; hour < 72; hour++) {
      for (let n = 0; n < 4; n++) {
        const { status } = await enter(ada.email, WRONG_RECOVERY, `10.0.${String(hour)}.${String(n)}`)
        if (status === 401) looked++
      }
      await ageTries(service, ada.userId, 60)
    }
    expect(looked).to.be.within(10, 30)
  })

  it('SGN-02 a signed-in user can still enter the codes of devices', async () => {
    const ada = await enrolledDevice(service)
    for (let n = 0; n < 12; n++) await enter(ada.email, WRONG_RECOVERY, `192.0.2.${String(n)}`)
    const answer = await service.api('GET', '/device/BCDF-GHJK', { headers: { Cookie: ada.cookie } })
    expect(answer.body.error?.code).to.equal('ERR_DEVICE_CODE')
  })

  it('SGN-02 administrators see the lockout of unknown devices; unlocking clears every count', async () => {
    const ada = await enrolledDevice(service)
    const helpdesk = await service.person({}, ['helpdesk_admin'])
    await statuses(5, ada.email, wrongCode(ada.secret), '192.0.2.1', ada.device)
    for (let n = 0; n < 12; n++) await enter(ada.email, WRONG_RECOVERY, `192.0.2.${String(n)}`)
    const lockedUntil = async () =>
      (await service.api('GET', `/users/${ada.userId}`, { as: helpdesk })).body.lockedUntil as string | null
    await until(async () => (await lockedUntil()) !== null)
    expect((await service.api('POST', `/users/${ada.userId}/unlock`, { as: helpdesk })).status).to.equal(204)
    expect(await lockedUntil()).to.equal(null)
    expect((await enter(ada.email, codeAt(ada.secret), '192.0.2.1', ada.device)).status).to.equal(200)
    expect((await enter(ada.email, codeAt(ada.secret, 1), '192.0.2.1')).status).to.equal(200)
  })
})
