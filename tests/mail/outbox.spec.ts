import { expect } from 'chai'
import { request } from 'node:http'
import { enrol } from '../support/mail/mail.ts'
import { setupLink } from '../../cli/server/setup-link.ts'
import { testPlace, testService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

describe('API-14 the outbox', function () {
  this.timeout(60_000)

  it('shows emails with SVC_DEV=1, newest first, without a mail server', async () => {
    const place = await testPlace({ dev: true })
    const service = await testService(place)
    try {
      const outbox = async () => (await service.api('GET', '/dev/outbox')).body
      expect(await outbox()).to.deep.equal([])
      // The first administrator's link is only for the terminal.
      for (let i = 0; i < 2; i++) expect(await setupLink(service.core)).to.contain('/enroll/')
      const boss = await service.person({ email: 'boss@example.com' }, ['global_admin'])
      const invited = await service.api('POST', '/users', {
        as: boss,
        body: { email: 'ada@example.com', name: 'Ada' },
      })
      expect(invited.body.emailed).to.equal(true)
      const kept = async () => (await outbox()).find(({ to }: { to: string }) => to === 'ada@example.com')
      await until(async () => (await kept()) !== undefined, 10_000, 'the email')
      const { subject, text, html, links, at } = await kept()
      expect(subject).to.equal('Set up your account at Identity service')
      expect(at).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      expect(links).to.have.length(1)
      for (const whole of [text, html]) expect(whole).to.contain(links[0])
      expect((await enrol(service, links[0].split('/').at(-1))).status).to.equal(200)
      // The email about the new passkey arrives among them, sooner or later.
      const signInLinks = async () =>
        (await outbox()).filter((one: { subject: string }) => one.subject === 'Sign in to Identity service')
      for (let count = 1; count <= 4; count++) {
        await service.api('POST', '/auth/magic-link', { body: { email: 'ada@example.com' } })
        await until(async () => (await signInLinks()).length === count, 10_000, 'a link')
      }
      expect((await outbox()).some(({ to }: { to: string }) => to.endsWith('@setup.invalid'))).to.equal(false)
      const times = (await outbox()).map((one: { at: string }) => one.at)
      expect(times).to.deep.equal([...times].sort().reverse())
    } finally {
      await service.stop()
      await place.drop()
    }
  })

  it('is only for this machine', async () => {
    const place = await testPlace({ dev: true, trustedProxies: ['127.0.0.1/32'] })
    const service = await testService(place)
    try {
      const from = (address: string) =>
        service.api('GET', '/dev/outbox', { headers: { 'X-Forwarded-For': address } })
      for (const address of ['203.0.113.7', '10.0.0.9', '2001:db8::1', '0.0.0.0']) {
        const { status, body } = await from(address)
        expect([status, body.error?.code], address).to.deep.equal([403, 'ERR_FORBIDDEN'])
      }
      for (const address of ['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1'])
        expect((await from(address)).status, address).to.equal(200)
      // A page of another site whose name resolves to this machine: fetch() sets no Host, so the request is written by hand.
      const statusFor = (host: string): Promise<number | undefined> =>
        new Promise((resolve, reject) => {
          const { port } = new URL(service.publicUrl)
          const sent = request({
            port,
            host: '127.0.0.1',
            path: '/api/v1/dev/outbox',
            headers: { Host: host },
          })
          sent.once('error', reject).once('response', (response) => {
            response.resume()
            resolve(response.statusCode)
          })
          sent.end()
        })
      expect(await statusFor('evil.example')).to.equal(403)
      expect(await statusFor('localhost')).to.equal(200)
    } finally {
      await service.stop()
      await place.drop()
    }
  })

  it('does not exist otherwise', async () => {
    const service = await testService()
    try {
      const { status, body } = await service.api('GET', '/dev/outbox')
      expect([status, body.error.code]).to.deep.equal([404, 'ERR_NO_ROUTE'])
      expect((await service.api('GET', '/openapi.yaml')).body).not.to.contain('/dev/outbox')
    } finally {
      await service.stop()
    }
  })
})
