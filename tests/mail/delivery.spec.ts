import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import pg from 'pg'
import { storeLimits } from '../../cli/server/store-limits.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { dumpSchema, leaks } from '../support/audit/leaks.ts'
import { hurryUp, mailPeer, mailPlace, outcomes, tokenIn, type MailPeer } from '../support/mail/mail.ts'
import {
  freePort,
  system,
  testService,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

describe('delivery of emails', function () {
  this.timeout(60_000)
  let peer: MailPeer
  let place: TestPlace
  let service: TestService
  beforeEach(async () => {
    peer = await mailPeer()
    place = await mailPlace(peer)
    service = await testService(place)
  })
  afterEach(async () => {
    await service.stop()
    await place.drop()
    await peer.stop()
  })

  const invite = (email: string, by = service) =>
    userCommands(by.core.services).invite({ profile: { email, name: 'Ada' }, source: 'local' }, system)
  const become = (wanted: Readonly<Record<string, number>>) =>
    until(
      async () => isDeepStrictEqual(await outcomes(service), wanted),
      10_000,
      `emails ${JSON.stringify(wanted)}`,
    )
  /** The same after the mail server is back; a first attempt may still be running against the stopped server. */
  const becomeAtLast = (wanted: Readonly<Record<string, number>>) =>
    until(
      async () => {
        await hurryUp(service)
        return isDeepStrictEqual(await outcomes(service), wanted)
      },
      10_000,
      `emails ${JSON.stringify(wanted)}`,
    )
  const said = (text: string) => service.log.lines.filter((line) => line.includes(text))
  const dueIn = async (): Promise<number> => {
    const { rows } = await service.core.workPool.query<{ seconds: number }>(
      'select extract(epoch from next_attempt_at - now())::float as seconds from work.mail',
    )
    return rows[0]?.seconds ?? 0
  }

  it('an email that is deferred is retried at growing intervals', async () => {
    peer.answers.push(
      { status: 451, at: 'recipient' },
      { status: 421, at: 'content' },
      { status: 452, at: 'content' },
    )
    await invite('later@example.com')
    const waits = [30, 60, 120]
    for (const [at, seconds] of waits.entries()) {
      await until(() => said('will be retried').length === at + 1, 10_000, 'a try')
      expect(await dueIn()).to.be.within(seconds - 10, seconds)
      await hurryUp(service)
    }
    await become({ sent: 1 })
    expect(peer.received).to.have.length(1)
    expect(said('will be retried')[0]).to.match(/"kind":"invitation","attempts":1,"reason":"\w+ 451 RCPT TO"/)
  })

  it('an email whose result could not be stored does not wait for its claim to expire', async () => {
    await service.stop()
    service = await testService(place, { limits: { ...storeLimits, statement: 500 } })
    peer.answers.push({ status: 451, at: 'recipient' })
    await invite('later@example.com')
    await until(() => said('will be retried').length === 1, 10_000, 'a try')
    const holding = await service.core.workPool.connect()
    try {
      await holding.query(`begin; lock table ${READ_MODELS}.enrollment_links in access exclusive mode`)
      await hurryUp(service)
      await until(() => said('emails are waiting to be sent').length > 0, 10_000, 'an outage')
      expect(await dueIn()).to.be.within(50, 60)
    } finally {
      await holding.query('rollback')
      holding.release()
    }
    await hurryUp(service)
    await become({ sent: 1 })
  })

  it('an email that is rejected permanently is dropped', async () => {
    peer.answers.push({ status: 550, at: 'recipient' })
    await invite('gone@example.com')
    await become({ failed: 1 })
    await invite('here@example.com')
    await peer.emailsTo('here@example.com')
    await hurryUp(service)
    await become({ failed: 1, sent: 1 })
    expect(peer.tries()).to.equal(2)
    expect(said('email rejected')).to.have.length(1)
  })

  it('a mail server that is down loses no email', async () => {
    await peer.stop()
    for (let i = 0; i < 12; i++) await invite(`patient${String(i)}@example.com`)
    await until(() => said('will be retried').length > 0, 10_000, 'a try')
    const { status } = await service.api('POST', '/auth/magic-link', {
      body: { email: 'nobody@example.com' },
    })
    expect(status).to.equal(204)
    await peer.start()
    await becomeAtLast({ sent: 12 })
    expect(new Set(peer.received.map(({ to }) => to.join())).size).to.equal(12)
  })

  it('an email is dropped after a day', async () => {
    await peer.stop()
    await invite('old@example.com')
    await until(() => said('will be retried').length === 1, 10_000, 'a try')
    await service.core.workPool.query(`update work.mail set expires_at = now() - interval '1 second'`)
    await hurryUp(service)
    await become({ failed: 1 })
    expect(said('email expired unsent')).to.have.length(1)
  })

  it('two instances send each email once, also after a restart', async () => {
    const port = await freePort()
    const two = await testService({
      ...place,
      config: { ...place.config, listen: { host: '127.0.0.1', port } },
    })
    try {
      await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          invite(`n${String(i)}@example.com`, i % 2 === 0 ? service : two),
        ),
      )
      await become({ sent: 30 })
      await peer.stop()
      await Promise.all(Array.from({ length: 6 }, (_, i) => invite(`m${String(i)}@example.com`)))
      await become({ sent: 30, waiting: 6 })
    } finally {
      await two.stop()
    }
    await service.stop()
    await peer.start()
    service = await testService(place)
    await becomeAtLast({ sent: 36 })
    const addresses = peer.received.map(({ to }) => to.join())
    expect(addresses).to.have.length(36)
    expect(new Set(addresses).size).to.equal(36)
  })

  it('reading the log from its beginning again sends no email twice', async () => {
    await invite('once@example.com')
    await peer.emailsTo('once@example.com')
    await become({ sent: 1 })
    await service.stop()
    const pool = new pg.Pool({ connectionString: place.databaseUrl })
    try {
      await pool.query(`delete from work.checkpoint where name = 'mail'`)
      service = await testService(place)
      await invite('twice@example.com')
      await peer.emailsTo('twice@example.com')
      await become({ sent: 2 })
      expect(peer.received).to.have.length(2)
      // Events that are too old for an email are skipped, even without a row in the table.
      await service.stop()
      await pool.query(`delete from work.checkpoint where name = 'mail'`)
      await pool.query('delete from work.mail')
      const old = `jsonb_set(metadata::jsonb, '{time}', '"2026-01-01T00:00:00.000000Z"')::text`
      await pool.query(`update log.event set metadata = ${old}`)
      service = await testService(place)
      await invite('thrice@example.com')
      await become({ sent: 1 })
      expect(peer.received.map(({ to }) => to.join()).at(-1)).to.equal('thrice@example.com')
      expect(peer.received).to.have.length(3)
    } finally {
      await pool.end()
    }
  })

  it('neither logs nor working tables contain addresses, names or tokens', async () => {
    const email = 'secretive.person@example.com'
    peer.answers.push({ status: 451, at: 'recipient' })
    await userCommands(service.core.services).invite(
      { profile: { email, name: 'Secretive Person' }, source: 'local' },
      system,
    )
    await until(() => said('will be retried').length === 1, 10_000, 'a try')
    await hurryUp(service)
    const [invitation] = await peer.emailsTo(email)
    const active = await service.verified(
      await service.person({ email: 'formerly.known@example.com', name: 'Formerly Known' }),
    )
    await service.api('POST', '/auth/magic-link', { body: { email: active.email } })
    await service.api('POST', '/auth/magic-link', { body: { email: 'unknown.stranger@example.com' } })
    const link = await peer.emailAbout(active.email, 'Sign in to Identity service')
    const queuedForBoth = async (): Promise<boolean> => {
      const about = `select from work.mail where kind in ('address_changed', 'verify_address') and outcome is null`
      return (await service.core.workPool.query(about)).rowCount === 2
    }
    await peer.stop()
    await service.api('POST', '/auth/magic-link', { body: { email: active.email } })
    await userCommands(service.core.services).update(
      active.userId,
      { email: 'known.now@example.com' },
      'system',
      system,
    )
    await until(queuedForBoth, 10_000, 'queued emails')
    const words = {
      'invited address': email,
      name: 'Secretive Person',
      'other name': 'Formerly Known',
      'old address': active.email,
      'new address': 'known.now@example.com',
      'unknown address': 'unknown.stranger@example.com',
      'invitation token': tokenIn(invitation!, '/enroll/'),
      'link token': tokenIn(link, '/magic-link/'),
    }
    const rows = await dumpSchema(service.core.workPool, 'work')
    expect(rows.filter((row) => /^work\.(mail|magic_link) /.test(row)).length).to.be.greaterThan(4)
    expect(leaks(rows, words)).to.deep.equal([])
    expect(leaks(service.log.lines, words)).to.deep.equal([])
    // Data that was encrypted for a queued email is decrypted when it is sent.
    await peer.start()
    const arrived = (address: string, subject: string): boolean =>
      peer.received.some(({ to, mail }) => to.includes(address) && mail.subject === subject)
    await until(async () => {
      // A first attempt may still be running against the stopped server, and be deferred after this.
      await hurryUp(service)
      return (
        arrived(active.email, 'Your email address was changed') &&
        arrived('known.now@example.com', 'Confirm your email address')
      )
    })
  })
})

describe('mail servers', function () {
  this.timeout(60_000)

  const refusedBy = async (peer: MailPeer, smtpUrl: string): Promise<string> => {
    const place = await mailPlace(peer, { mail: { smtpUrl, from: 'id@svc.example' } })
    const service = await testService(place)
    try {
      await userCommands(service.core.services).invite(
        { profile: { email: 'ada@example.com', name: 'Ada' }, source: 'local' },
        system,
      )
      const line = () => service.log.lines.find((said) => said.includes('"reason"'))
      await until(() => line() !== undefined || peer.received.length > 0, 10_000, 'a try')
      expect(service.log.lines.join()).not.to.contain('hunter2')
      return line() ?? 'taken'
    } finally {
      await service.stop()
      await place.drop()
    }
  }

  it('get no email if their TLS certificate cannot be verified', async () => {
    // Offers STARTTLS with a certificate that no authority has signed.
    const peer = await mailPeer({ disabledCommands: ['AUTH'] })
    try {
      expect(await refusedBy(peer, peer.url)).to.match(/"reason":"(?:ETLS|ESOCKET)/)
      expect(peer.received).to.deep.equal([])
    } finally {
      await peer.stop()
    }
  })

  it('get user and password on request; wrong credentials cause a retry, and are never logged', async () => {
    const seen: string[] = []
    const peer = await mailPeer({
      disabledCommands: ['STARTTLS'],
      authOptional: false,
      onAuth: ({ username, password }, _session, done) => {
        seen.push(`${username ?? ''} ${password ?? ''}`)
        if (password === 'hunter2@') done(null, { user: username })
        else done(new Error(`no ${password ?? ''}`))
      },
    })
    const url = (password: string) => peer.url.replace('//', `//mailer:${encodeURIComponent(password)}@`)
    try {
      expect(await refusedBy(peer, url('hunter2!'))).to.contain('"reason":"EAUTH 535 AUTH')
      expect(await refusedBy(peer, url('hunter2@'))).to.equal('taken')
      expect(seen).to.include('mailer hunter2@')
    } finally {
      await peer.stop()
    }
  })
})
