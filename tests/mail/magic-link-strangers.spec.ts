/** Links that unknown devices request for a user, and what the user can still do. */
import { expect } from 'chai'
import { defaultLimits, noLimits } from '../../adapters/inbound/http/rate-limit-rules.ts'
import { enrolledDevice } from '../support/sign-in/authenticator.ts'
import { mailPeer, mailPlace, tokenIn, type MailPeer, type Received } from '../support/mail/mail.ts'
import { testService, type TestPlace, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

describe('SGN-03 emailed links that unknown devices request', function () {
  this.timeout(60_000)
  let peer: MailPeer
  let place: TestPlace
  let service: TestService
  before(async () => {
    peer = await mailPeer()
    const base = await mailPlace(peer)
    place = {
      ...base,
      config: {
        ...base.config,
        trustedProxies: ['127.0.0.1/32', '::1/128'],
        rateLimits: { ...noLimits, 'magic-link': defaultLimits['magic-link'] },
      },
    }
    service = await testService(place)
  })
  after(async () => {
    await service.stop()
    await place.drop()
    await peer.stop()
  })

  /** Creates a user with a verified address, and the cookie of a known device. */
  const verifiedDevice = async () => {
    const person = await enrolledDevice(service)
    await service.verified({ ...person, sessionId: '' })
    return person
  }
  const ask = (email: string, ip: string, cookie = '') =>
    service.api('POST', '/auth/magic-link', {
      body: { email },
      headers: { 'X-Forwarded-For': ip, ...(cookie === '' ? {} : { Cookie: cookie }) },
    })
  const emailsTo = (email: string): readonly Received[] =>
    peer.received.filter(({ to, mail }) => to.includes(email) && mail.subject?.startsWith('Sign in') === true)
  const resolved = () =>
    until(
      async () =>
        (await service.core.workPool.query('select from work.magic_link where user_id is null')).rowCount ===
        0,
      10_000,
      'processed requests',
    )
  /** @returns the token of the resulting email, and the requesting browser's cookie */
  const link = async (email: string, ip: string, cookie = '') => {
    const before = emailsTo(email).length
    const answer = await ask(email, ip, cookie)
    expect(answer.status).to.equal(204)
    await until(() => emailsTo(email).length > before, 10_000, `a link to ${email}`)
    const browser = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    return { token: tokenIn(emailsTo(email).at(-1)!, '/magic-link/'), browser }
  }
  const redeem = async (token: string): Promise<number> =>
    (await service.api('POST', '/auth/magic-link/redeem', { body: { token } })).status

  it('three emails from one network do not count for another network or a known device', async () => {
    const ada = await verifiedDevice()
    for (let n = 0; n < 3; n++) await link(ada.email, '192.0.2.1')
    expect((await ask(ada.email, '192.0.2.1')).status, 'that network must wait').to.equal(429)
    const phone = await link(ada.email, '192.0.2.2')
    const known = await link(ada.email, '192.0.2.1', ada.device)
    expect(emailsTo(ada.email)).to.have.length(5)
    expect(await redeem(phone.token)).to.equal(200)
    expect(await redeem(known.token), 'redeeming one revokes the others').to.equal(404)
  })

  it('a link stays valid if an unknown device requests another', async () => {
    const ada = await verifiedDevice()
    const own = await link(ada.email, '192.0.2.1', ada.device)
    await link(ada.email, '192.0.2.66')
    expect(await redeem(own.token)).to.equal(200)
  })

  it('only the newest link of a browser is valid', async () => {
    const ada = await verifiedDevice()
    const first = await link(ada.email, '192.0.2.1')
    const second = await link(ada.email, '192.0.2.1', first.browser)
    const third = await link(ada.email, '192.0.2.1', second.browser)
    expect(await redeem(first.token)).to.equal(404)
    expect(await redeem(second.token)).to.equal(404)
    expect(await redeem(third.token)).to.equal(200)
  })

  it('all unknown devices together can request ten emails an hour to a user; a known device still gets its own', async () => {
    const ada = await verifiedDevice()
    for (let n = 0; n < 14; n++) expect((await ask(ada.email, `192.0.2.${String(n)}`)).status).to.equal(204)
    await resolved()
    await until(() => emailsTo(ada.email).length >= 10, 10_000, 'ten emails')
    const known = await link(ada.email, '192.0.2.1', ada.device)
    expect(emailsTo(ada.email)).to.have.length(11)
    expect(await redeem(known.token)).to.equal(200)
  })

  it('the response is the same for a device of another user as for no device', async () => {
    const [ada, eve] = [await verifiedDevice(), await enrolledDevice(service)]
    const shape = ({ status, headers }: Awaited<ReturnType<typeof ask>>) => [
      status,
      headers.get('ratelimit-policy'),
      headers.get('ratelimit'),
    ]
    const without = shape(await ask('nobody@example.com', '198.51.100.1'))
    expect(shape(await ask('nobody@example.com', '198.51.100.2', eve.device))).to.deep.equal(without)
    expect(shape(await ask(ada.email, '198.51.100.3', eve.device))).to.deep.equal(without)
    expect(shape(await ask(ada.email, '198.51.100.4'))).to.deep.equal(without)
  })

  it('one network has only a few pending requests', async () => {
    await resolved()
    const before = Number(
      (await service.core.workPool.query<{ n: string }>('select count(*) as n from work.magic_link')).rows[0]
        ?.n,
    )
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => ask(`nobody${String(n)}@example.com`, '203.0.113.9')),
    )
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([204]))
    await resolved()
    const { rows } = await service.core.workPool.query<{ n: string }>(
      'select count(*) as n from work.magic_link',
    )
    expect(Number(rows[0]?.n), 'requests without a user are deleted').to.equal(before)
  })
})
