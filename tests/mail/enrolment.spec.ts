import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { brandingCommands } from '../../adapters/application/commands/branding.ts'
import { signInRecorder } from '../../adapters/application/commands/sign-ins.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { userDecider, userStream, type UserCommand } from '../../domain/user/decider.ts'
import {
  enrol,
  hurryUp,
  linkIn,
  mailPeer,
  mailPlace,
  outcomes,
  tokenIn,
  triedInVain,
  type MailPeer,
} from '../support/mail/mail.ts'
import {
  system,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { until } from '../support/until.ts'

describe('emails about an account', function () {
  this.timeout(60_000)
  let peer: MailPeer
  let place: TestPlace
  let service: TestService
  let admin: TestPerson
  before(async () => {
    peer = await mailPeer()
    place = await mailPlace(peer)
    service = await testService(place)
    admin = await service.person({ email: 'boss@example.com' }, ['global_admin'])
  })
  after(async () => {
    await service.stop()
    await place.drop()
    await peer.stop()
  })

  const asAdmin = async (method: string, path: string, body: unknown = {}) => {
    const answer = await service.api(method, path, {
      as: admin,
      ...(method === 'GET' ? {} : { body }),
    })
    expect(answer.status, JSON.stringify(answer.body)).to.be.lessThan(300)
    return answer.body
  }
  const invite = (email: string, name = 'Ada Lovelace') => asAdmin('POST', '/users', { email, name })
  const isVerified = async (userId: string) => (await asAdmin('GET', `/users/${userId}`)).emailVerified
  const tokenOf = (url: string): string => url.split('/').at(-1) ?? ''
  const run = (command: UserCommand) =>
    service.core.services.handle(userDecider, userStream(command.userId), command, {
      ...system,
      // Codes created by the same command as a method have no separate email.
      correlationId: randomUUID(),
    })
  /** Returns the subjects of the emails to an address, oldest first, once there are this many. */
  const subjectsTo = async (address: string, count: number) =>
    (await peer.emailsTo(address, count)).map(({ mail }) => mail.subject)
  const queueEmpty = () =>
    until(async () => !('waiting' in (await outcomes(service))), 10_000, 'an empty queue')

  it('API-11 emails show the logo of the organization, unless it is an SVG', async () => {
    const { setLogo, deleteLogo } = brandingCommands(service.core.services)
    const imageIn = async (address: string) => {
      await invite(address)
      const [message] = await peer.emailsTo(address)
      return /<img[^>]*src="([^"]+)"/.exec(String(message?.mail.html))?.[1]
    }
    expect(await imageIn('no-logo@example.com')).to.equal(undefined)
    const png = Buffer.from('89504e470d0a1a0a', 'hex')
    await setLogo('image/png', png, system)
    const shown = await imageIn('logo@example.com')
    expect(shown).to.match(new RegExp(`^${service.publicUrl}/api/v1/branding/logo\\?v=[\\w-]{43}$`))
    expect(Buffer.from(await (await fetch(String(shown))).arrayBuffer())).to.deep.equal(png)
    await setLogo('image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), system)
    expect(await imageIn('svg@example.com')).to.equal(undefined)
    await deleteLogo(system)
  })

  it('an invitation is written in the language of its addressee', async () => {
    await asAdmin('POST', '/users', { email: 'wien@example.com', name: 'Ada Lovelace', locale: 'de-AT' })
    const [message] = await peer.emailsTo('wien@example.com')
    const { subject, text, html, headers } = message!.mail
    expect(subject).to.equal('Richten Sie Ihr Konto bei Identity service ein')
    expect(text).to.contain('Guten Tag Ada Lovelace,')
    expect(String(html)).to.contain('<html lang="de">')
    expect(headers.get('content-language')).to.equal('de')
  })

  it('API-07 SGN-03 OIDC-14 an invitation arrives, and its link enrols and verifies the address', async () => {
    const invited = await invite('ada@example.com')
    expect(invited.emailed).to.equal(true)
    const [message] = await peer.emailsTo('ada@example.com')
    expect(message?.from).to.equal('id@svc.example')
    expect(message?.mail.from?.value).to.deep.equal([{ address: 'id@svc.example', name: 'Sign-in' }])
    expect(message?.mail.to?.value).to.deep.equal([{ address: 'ada@example.com', name: 'Ada Lovelace' }])
    expect(message?.mail.headers.get('auto-submitted')).to.equal('auto-generated')
    expect(message?.mail.messageId).to.match(/^<[\w-]+\.invitation@svc\.example>$/)
    const token = tokenIn(message!, '/enroll/')
    expect(token).to.have.length(43).and.not.to.equal(tokenOf(invited.enrollUrl))
    expect((await enrol(service, token)).status).to.equal(200)
    expect(await isVerified(invited.id)).to.equal(true)
    // Using either copy redeems the link.
    for (const used of [token, tokenOf(invited.enrollUrl)])
      expect((await service.api('GET', `/auth/enroll/${used}`)).body.error.code).to.equal('ERR_LINK_EXPIRED')
    expect(await subjectsTo('ada@example.com', 2)).to.deep.equal([
      'Set up your account at Identity service',
      'A sign-in method was added',
    ])
  })

  it("OIDC-14 the administrator's copy of the link enrols the user and verifies nothing", async () => {
    const invited = await invite('copy@example.com')
    await peer.emailsTo('copy@example.com')
    expect((await enrol(service, tokenOf(invited.enrollUrl))).status).to.equal(200)
    expect(await isVerified(invited.id)).to.equal(false)
  })

  it('emails are multipart, readable in both parts, and contain the organization', async () => {
    await invite('parts@example.com', 'Zoë Ångström 🦊')
    const [message] = await peer.emailsTo('parts@example.com')
    const { mail, raw } = message!
    expect(raw).to.match(/^Content-Type: multipart\/alternative;/m)
    const types = [...raw.matchAll(/^Content-Type: (text\/\w+); charset=utf-8/gm)].map(([, type]) => type)
    expect(types).to.deep.equal(['text/plain', 'text/html'])
    expect(raw.split('\r\n').every((line) => line.length <= 998)).to.equal(true)
    // RFC 5322 §2.3: lines end only with CRLF.
    expect(raw.replaceAll('\r\n', '')).not.to.match(/[\r\n]/)
    expect(mail.to?.value[0]?.name).to.equal('Zoë Ångström 🦊')
    for (const part of [mail.text, mail.html]) {
      expect(part).to.contain('Hello Zoë Ångström 🦊,')
      expect(part).to.contain('Identity service')
    }
    expect(mail.attachments).to.deep.equal([])
  })

  it('a newer link cancels the email with the older one', async () => {
    await peer.stop()
    const first = await invite('twice@example.com')
    await asAdmin('POST', `/users/${String(first.id)}/invite`)
    await peer.start()
    await until(async () => {
      // A first attempt may still be running against the stopped server, and be deferred after this.
      await hurryUp(service)
      return !('waiting' in (await outcomes(service)))
    })
    const messages = await peer.emailsTo('twice@example.com')
    expect(messages).to.have.length(1)
    expect((await service.api('GET', `/auth/enroll/${tokenIn(messages[0]!, '/enroll/')}`)).status).to.equal(
      200,
    )
  })

  it('SGN-03 a reset sends a link to set up sign-in again, in the same email as the notice', async () => {
    const person = await service.person({ email: 'reset@example.com' })
    const { userId, email } = await service.verified(person)
    const { emailed } = await asAdmin('POST', `/users/${userId}/reset-methods`)
    expect(emailed).to.equal(true)
    const message = await peer.emailAbout(email, 'Your sign-in methods were reset')
    expect((await enrol(service, tokenIn(message, '/enroll/'))).status).to.equal(200)
    expect(await isVerified(userId)).to.equal(true)
  })

  it('SGN-03 a reset sends no link to an address that was never verified; the administrator must deliver it', async () => {
    const { userId, email } = await service.person({ email: 'unread@example.com' })
    const { emailed, enrollUrl } = await asAdmin('POST', `/users/${userId}/reset-methods`)
    expect(emailed).to.equal(false)
    const message = await peer.emailAbout(email, 'Your sign-in methods were reset')
    expect(message.raw).not.to.contain('/enroll/')
    expect((await enrol(service, String(enrollUrl).split('/').at(-1) ?? '')).status).to.equal(200)
    expect(await isVerified(userId)).to.equal(false)
  })

  it('SGN-03 granting a role revokes the invitation, shown or emailed, and the queued email', async () => {
    const { id, enrollUrl } = await invite('raised@example.com')
    const mailed = tokenIn((await peer.emailsTo('raised@example.com'))[0]!, '/enroll/')
    await peer.stop()
    const { id: late } = await invite('late@example.com')
    await triedInVain(service, String(late), 'invitation')
    for (const one of [id, late]) await asAdmin('PUT', `/users/${String(one)}/roles`, { roles: ['auditor'] })
    for (const token of [mailed, String(enrollUrl).split('/').at(-1) ?? '']) {
      const { status, body } = await enrol(service, token)
      expect([status, body.error?.code]).to.deep.equal([404, 'ERR_LINK_EXPIRED'])
    }
    await peer.start()
    await hurryUp(service)
    await queueEmpty()
    expect(peer.received.filter(({ to }) => to.includes('late@example.com'))).to.deep.equal([])
    await asAdmin('POST', `/users/${String(id)}/invite`)
    const again = (await peer.emailsTo('raised@example.com', 2)).at(-1)!
    expect((await enrol(service, tokenIn(again, '/enroll/'))).status).to.equal(200)
  })

  it('SGN-03 an email that verifies an address is invalid once a role was granted', async () => {
    const { userId } = await service.person({ email: 'before@example.com' })
    await asAdmin('PATCH', `/users/${userId}`, { email: 'planted@example.com' })
    const message = await peer.emailAbout('planted@example.com', 'Confirm your email address')
    await asAdmin('PUT', `/users/${userId}/roles`, { roles: ['auditor'] })
    const confirmed = await service.api('POST', '/auth/verify-email', {
      body: { token: tokenIn(message, '/verify-email/') },
    })
    expect([confirmed.status, confirmed.body.error?.code]).to.deep.equal([404, 'ERR_LINK_EXPIRED'])
    expect(await isVerified(userId)).to.equal(false)
  })

  it('SGN-03 an email that verifies an address is not sent after a role was granted', async () => {
    const { userId } = await service.person({ email: 'slow@example.com' })
    await peer.stop()
    await asAdmin('PATCH', `/users/${userId}`, { email: 'slower@example.com' })
    await triedInVain(service, userId, 'verify_address')
    await asAdmin('PUT', `/users/${userId}/roles`, { roles: ['auditor'] })
    await peer.start()
    await hurryUp(service)
    await peer.emailAbout('slow@example.com', 'Your email address was changed')
    await queueEmpty()
    const sent = peer.received.filter(({ to }) => to.includes('slower@example.com'))
    expect(sent.map(({ mail }) => mail.subject)).not.to.include('Confirm your email address')
  })

  it('a new address is verified by an email to it, and the old one is notified', async () => {
    const { userId } = await service.person({ email: 'old@example.com' })
    await asAdmin('PATCH', `/users/${userId}`, { email: 'New@Example.com' })
    expect(await isVerified(userId)).to.equal(false)
    const notice = await peer.emailAbout('old@example.com', 'Your email address was changed')
    expect(notice.raw.toLowerCase()).not.to.contain('new@example.com')
    const message = await peer.emailAbout('New@Example.com', 'Confirm your email address')
    const token = tokenIn(message, '/verify-email/')
    // Opening the page confirms nothing.
    await fetch(linkIn(message, '/verify-email/'))
    expect(await isVerified(userId)).to.equal(false)
    for (let i = 0; i < 2; i++)
      expect((await service.api('POST', '/auth/verify-email', { body: { token } })).status).to.equal(204)
    expect(await isVerified(userId)).to.equal(true)
    await asAdmin('PATCH', `/users/${userId}`, { email: 'newer@example.com' })
    for (const wrong of [token, `${token.slice(0, -2)}AA`, 'x']) {
      const refused = await service.api('POST', '/auth/verify-email', { body: { token: wrong } })
      expect([refused.status, refused.body.error.code]).to.deep.equal([404, 'ERR_LINK_EXPIRED'])
    }
    // A user who is deleted before an email is sent gets none.
    const [last] = await peer.emailsTo('newer@example.com')
    await asAdmin('DELETE', `/users/${userId}`)
    const gone = await service.api('POST', '/auth/verify-email', {
      body: { token: tokenIn(last!, '/verify-email/') },
    })
    expect(gone.body.error.code).to.equal('ERR_LINK_EXPIRED')
  })

  it('a user who has not enrolled gets only the invitation, and no email to a changed address', async () => {
    const { id } = await invite('typo@example.com')
    await peer.emailsTo('typo@example.com')
    await asAdmin('PATCH', `/users/${String(id)}`, { email: 'right@example.com' })
    await asAdmin('POST', `/users/${String(id)}/invite`)
    await peer.emailsTo('right@example.com')
    await queueEmpty()
    expect(await subjectsTo('typo@example.com', 1)).to.have.length(1)
    expect(await subjectsTo('right@example.com', 1)).to.have.length(1)
  })

  it('SGN-07 users are asked whether a sign-in with a new device was theirs, once for all of its risks', async () => {
    const { userId, email } = await service.person({ email: 'traveller@example.com' })
    const record = signInRecorder(service.core.services)
    const risk = (riskType: 'new_device' | 'anonymizer_ip', level: 'low' | 'medium') =>
      ({ riskEventId: newId('riskEvent'), riskType, level, detail: {} }) as const
    const origin = { ip: '192.0.2.7', userAgent: 'Mozilla/5.0 Firefox/128.0', correlationId: 'travel' }
    const attempt = { userId, email, appId: null, method: 'magic_link', reason: null } as const
    await record({ ...attempt, result: 'success', risks: [risk('anonymizer_ip', 'medium')] }, origin)
    const country = { riskType: 'new_country', level: 'medium', detail: { country: 'Japan' } } as const
    const risks = [{ riskEventId: newId('riskEvent'), ...country }, risk('new_device', 'low')]
    const id = await record({ ...attempt, result: 'success', risks }, origin)
    const { mail } = await peer.emailAbout(email, 'New sign-in to your account at Identity service')
    expect(mail.text)
      .to.contain(`/account/activity#${id}`)
      .and.to.contain('192.0.2.7')
      .and.to.contain('Firefox')
    await queueEmpty()
    const about = (await subjectsTo(email, 1)).filter((subject) => subject?.startsWith('New sign-in'))
    expect(about).to.have.length(1)
  })

  it('users are notified of changes to their sign-in methods', async () => {
    const { userId, email } = await service.person({ email: 'watchful@example.com' })
    const methodId = newId('method')
    await run({
      type: 'add_method',
      userId,
      method: { methodId, methodType: 'authenticator_code', name: 'Phone', sealedSecret: 'x' },
    })
    await run({ type: 'generate_recovery_codes', userId, hashes: ['a', 'b'] })
    await run({ type: 'use_recovery_code', userId, hash: 'a' })
    await run({
      type: 'lock_out',
      userId,
      now: '2026-01-01T00:00:00.000000Z',
      until: '2026-01-01T00:15:00.000000Z',
    })
    await userCommands(service.core.services).removeMethod(userId, methodId, 'self', system)
    for (const subject of [
      'A recovery code was used',
      'Too many wrong codes',
      'A sign-in method was removed',
      'New recovery codes were created',
    ])
      await peer.emailAbout(email, subject)
    await queueEmpty()
    const said = peer.received.filter(({ to }) => to.includes(email)).map(({ mail }) => mail.text)
    expect(said.join())
      .to.contain('An authenticator app can now be used')
      .and.to.contain('1 January 2026 at 00:15')
  })
})
