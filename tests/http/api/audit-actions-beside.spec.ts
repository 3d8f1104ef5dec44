import { expect } from 'chai'
import { maintenanceDuties } from '../../../adapters/application/reactions/maintenance.ts'
import { newId } from '../../../adapters/kernel/ids.ts'
import { codeGuesses } from '../../../adapters/application/sign-in/code-guesses.ts'
import { addressConfirmations } from '../../../adapters/application/sign-in/verify-address.ts'
import { wrongCodes } from '../../../adapters/inbound/sign-in/wrong-codes.ts'
import { userDecider, userStream } from '../../../domain/user/decider.ts'
import { startDevSession } from '../../../cli/server/dev-session.ts'
import { setupLink } from '../../../cli/server/setup-link.ts'
import { actionsDrivenBeside } from '../../support/audit/audit-actions.ts'
import { audited } from '../../support/audit/audit.ts'
import { appPerson, type AppPerson } from '../../support/sign-in/authenticator.ts'
import { newJar, passkeyWorld } from '../../support/sign-in/passkey-world.ts'
import { lockoutAnnounced, lockOutStrangers } from '../../support/sign-in/code-tries.ts'
import { system, testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { webhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts'
import { quick } from '../../support/webhooks/webhooks.ts'
import { success, type Json } from './support.ts'

const FIRST = 'aud_00000000000000000000000000'
const AGENT = 'auditor-test/1.0'

describe('The audit trail of background work and other sign-in methods', function () {
  this.timeout(120_000)
  let service: TestService
  let admin: TestPerson
  let receiver: WebhookReceiver
  /** The actions that this test has seen, and the last read entry. */
  const recorded = new Set<string>()
  let last = FIRST

  before(async () => {
    receiver = await webhookReceiver((got) => (got.path === '/gone' ? 410 : 200))
    service = await testService(undefined, { webhooks: quick })
  })
  after(async () => {
    await service.stop()
    receiver.close()
  })

  const send = async (method: string, path: string, body?: unknown, as = admin): Promise<Json> => {
    const headers = { 'User-Agent': AGENT }
    const answer = await service.api(method, path, { as, headers, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 204)
    return answer.body
  }
  const news = async (): Promise<Json[]> => {
    await audited(service)
    const entries: Json[] = success(await service.api('GET', `/audit?after=${last}&limit=200`, { as: admin }))
    last = entries.at(-1)?.id ?? last
    return entries
  }
  /** Returns the only entry with that action since the last read. */
  const expectOne = async (action: string, is: (entry: Json) => boolean = () => true): Promise<Json> => {
    const entries = (await news()).filter((entry) => entry.action === action && is(entry))
    expect(entries, action).to.have.length(1)
    recorded.add(action)
    return entries[0]
  }
  const byPerson = ({ userId, sessionId }: TestPerson) => ({
    actorId: userId,
    actorType: 'user',
    credential: { type: 'session', id: sessionId },
    ip: '127.0.0.1',
    userAgent: AGENT,
    outcome: 'success',
  })
  const byItself = {
    actorId: null,
    actorType: 'system',
    actorName: null,
    credential: { type: 'none', id: null },
    ip: null,
    userAgent: null,
    outcome: 'success',
  }
  const later = (seconds: number) => {
    const { services } = service.core
    const clock = {
      now: () => services.clock.in(seconds),
      in: (more: number) => services.clock.in(seconds + more),
    }
    return { ...services, clock }
  }
  const duty = async (name: string, seconds: number): Promise<void> => {
    await maintenanceDuties(later(seconds), service.core)
      .find((each) => each.name === name)
      ?.run()
  }

  /** Each step builds on the previous ones. */
  const steps: readonly (readonly [title: string, step: () => Promise<void>])[] = [
    [
      'the first administrator is invited by the service itself',
      async () => {
        expect(await setupLink(service.core)).to.be.a('string')
        admin = await service.person({ name: 'Grace Admin', email: 'grace@example.com' }, ['global_admin'])
        const invited = (await news()).find(({ target }) => target === 'Administrator')
        expect(invited).to.deep.include({ action: 'user.invite', ...byItself })
      },
    ],
    [
      'a session for development leaves an entry, and a session that can be ended',
      async () => {
        await startDevSession(service.core.services, admin.email)
        expect(await expectOne('system.dev_session.create')).to.deep.include({
          actorId: null,
          actorType: 'cli',
          targetType: 'session',
          otherId: admin.userId,
          summary: 'Created a session of Grace Admin for development, without a sign-in',
        })
        const { body } = await service.api('GET', `/sessions?userId=${admin.userId}`, { as: admin })
        const { id } = body.find(({ methods }: { methods: string[] }) => methods.includes('development'))
        await send('DELETE', `/sessions/${String(id)}`)
        const ended = (await news())[0]
        expect(ended).to.deep.include({
          action: 'session.revoke',
          actorId: admin.userId,
          otherId: admin.userId,
        })
      },
    ],
    [
      'webhooks, with previous and new values',
      async () => {
        const { id } = await send('POST', '/webhooks', {
          url: receiver.url('/gone'),
          events: ['group.create'],
        })
        expect(await expectOne('webhook.create')).to.deep.include({ targetId: id, ...byPerson(admin) })
        await send('PATCH', `/webhooks/${String(id)}`, { description: 'Tickets' })
        const update = await expectOne('webhook.update')
        expect(update.changes).to.deep.equal([{ field: 'description', from: null, to: 'Tickets' }])
        await send('POST', `/webhooks/${String(id)}/pause`)
        expect(await expectOne('webhook.pause')).to.deep.include(byPerson(admin))
        await send('POST', `/webhooks/${String(id)}/resume`)
        expect(await expectOne('webhook.resume')).to.deep.include(byPerson(admin))
        await send('POST', `/webhooks/${String(id)}/test`)
        expect(await expectOne('webhook.test')).to.deep.include(byPerson(admin))

        await send('POST', '/groups', { name: 'Told of' })
        const { pool } = service.core.services
        const failed = async () => {
          // The waits between attempts are hours.
          await pool.query(
            `update work.webhook_delivery set next_attempt_at = now() where status = 'retrying'`,
          )
          const deliveries: Json[] = await send('GET', `/webhooks/${String(id)}/deliveries`)
          return deliveries.find(
            ({ status, eventType }) => status === 'failed' && eventType === 'group.create',
          )
        }
        await until(async () => (await failed()) !== undefined, 30_000, 'a dropped delivery')
        const delivery = await failed()
        let fail: Json
        await until(
          async () => {
            fail = (await news()).find(({ action }) => action === 'webhook.delivery.fail')
            return fail !== undefined
          },
          30_000,
          'the audit entry',
        )
        recorded.add('webhook.delivery.fail')
        expect(fail).to.deep.include({ ...byItself, targetId: id })
        await send('POST', `/webhooks/${String(id)}/deliveries/${String(delivery.id)}/redeliver`)
        expect(await expectOne('webhook.delivery.retry')).to.deep.include(byPerson(admin))
        await send('DELETE', `/webhooks/${String(id)}`)
        expect(await expectOne('webhook.delete')).to.deep.include(byPerson(admin))
      },
    ],
    [
      'settings of a sign-in method',
      async () => {
        await send('PATCH', '/methods/magic_link', { enabled: false })
        expect(await expectOne('method.settings.update')).to.deep.include({
          ...byPerson(admin),
          targetType: 'method',
          targetId: 'magic_link',
          changes: [{ field: 'enabled', from: true, to: false }],
        })
      },
    ],
    [
      'an authenticator app brings recovery codes; a lockout, its end and an unlocking',
      async () => {
        const ada: AppPerson = await appPerson(service)
        const added = await news()
        const codes = added.find(({ action }) => action === 'recovery_codes.generate')
        recorded.add('recovery_codes.generate')
        expect(codes).to.include({ actorId: ada.userId, targetId: ada.userId })
        const method = added.find(({ action }) => action === 'method.add')
        expect(codes.correlationId, 'one request, one correlation').to.equal(method.correlationId)
        const together: Json[] = await send('GET', `/audit?correlationId=${String(codes.correlationId)}`)
        expect(together.map(({ action }) => action as string)).to.include.members([
          'recovery_codes.generate',
          'method.add',
          'user.enroll',
        ])

        const lockOut = async () => {
          await lockOutStrangers(service, ada.userId)
          const { eventLog } = service.core
          const types = async () => (await eventLog.readStream(`user-${ada.userId}`)).map(({ type }) => type)
          await until(async () => (await types()).at(-1) === 'user.locked_out', 20_000, 'a lockout')
        }
        await lockOut()
        expect(await expectOne('user.lockout')).to.deep.include({ ...byItself, targetId: ada.userId })
        await send('POST', `/users/${ada.userId}/unlock`)
        expect(await expectOne('user.unlock')).to.deep.include(byPerson(admin))
        await lockOut()
        await lockoutAnnounced(service, ada.userId)
        await wrongCodes(later(86_401)).recordLockouts()
        expect(await expectOne('user.lockout.expire')).to.deep.include(byItself)
      },
    ],
    [
      'code guessing across many users is detected',
      async () => {
        const guesses = codeGuesses(service.core.services)
        for (let n = 0; n < 120; n++) await guesses.note(`network ${String(n % 30)}`, `person ${String(n)}`)
        await guesses.watch()
        const detected = await expectOne('risk_event.detect', (entry) => entry.summary.includes('guessing'))
        expect(detected).to.deep.include({ ...byItself, targetType: 'risk_event' })
        expect(detected.summary).to.match(
          /^Detected code guessing: \d+ wrong codes for \d+ addresses in 10 minutes$/,
        )
      },
    ],
    [
      'a sign-in with a passkey ends the risk that a lockout showed',
      async () => {
        const passkeys = passkeyWorld(service)
        const jar = newJar()
        const person = await passkeys.enrolled(jar)
        const { userId } = person
        const { handle, clock } = service.core.services
        const command = { type: 'lock_out', userId, now: clock.now(), until: clock.in(60) } as const
        await handle(userDecider, userStream(userId), command, system)
        const risks = async () =>
          (await service.api('GET', `/risk-events?userId=${userId}`, { as: admin })).body
        await until(async () => (await risks()).length === 1)
        await passkeys.signIn(person, jar)
        await until(async () => (await risks())[0].state === 'remediated')
        expect(await expectOne('risk_event.remediate')).to.deep.include({
          ...byItself,
          targetType: 'risk_event',
        })
      },
    ],
    [
      'an address is confirmed',
      async () => {
        const { userId } = await service.person({ email: 'confirm@example.com' })
        const confirmations = addressConfirmations(service.core.services)
        const { token } = confirmations.issue({ userId, email: 'confirm@example.com', raises: 0 })
        await news()
        const verified = await service.api('POST', '/auth/verify-email', { body: { token } })
        expect(verified.status).to.equal(204)
        expect(await expectOne('user.email.verify')).to.include({ actorId: userId, targetId: userId })
      },
    ],
    [
      'accounts at identity providers, linked and unlinked',
      async () => {
        const person = await service.person()
        const account = {
          linkId: newId('linkedAccount'),
          identityProviderId: newId('identityProvider'),
          subject: 'them',
          email: null,
        }
        const { handle } = service.core.services
        const { userId } = person
        await handle(userDecider, userStream(userId), { type: 'link_account', userId, account }, system)
        expect(await expectOne('linked_account.add')).to.include({ targetId: userId, actorId: null })
        await send('DELETE', `/me/linked-accounts/${account.linkId}`, undefined, person)
        expect(await expectOne('linked_account.remove')).to.deep.include(byPerson(person))
      },
    ],
    [
      'a device is removed',
      async () => {
        const ada = await appPerson(service)
        const [device]: Json[] = await send('GET', '/me/devices', undefined, ada)
        await news()
        await send('DELETE', `/devices/${String(device.id)}`)
        expect(await expectOne('device.remove')).to.deep.include({
          ...byPerson(admin),
          targetId: device.id,
          otherId: ada.userId,
        })
      },
    ],
    [
      'a membership expires',
      async () => {
        const { userId } = await service.person({ name: 'Temp' })
        const { id } = await send('POST', '/groups', { name: 'Temps' })
        const until = service.core.services.clock.in(600)
        await send('PUT', `/groups/${String(id)}/members/${userId}`, { expiresAt: until })
        await news()
        await duty('expired memberships', 601)
        expect(await expectOne('group.member.expire')).to.deep.include({
          ...byItself,
          targetId: id,
          otherId: userId,
          other: 'Temp',
        })
      },
    ],
    [
      'a signing key is retired',
      async () => {
        await send('POST', '/signing-keys/rotate')
        await news()
        await duty('signing keys', 400 * 86_400)
        const retired = (await news()).filter(({ action }) => action === 'signing_key.retire')
        expect(retired.length).to.be.greaterThan(0)
        recorded.add('signing_key.retire')
        expect(retired[0]).to.deep.include(byItself)
      },
    ],
    [
      'a key of the SSH authority is retired',
      async () => {
        await send('POST', '/ssh/ca/rotate')
        await news()
        await duty('SSH authority keys', 400 * 86_400)
        const retired = (await news()).filter(({ action }) => action === 'ssh.ca.retire')
        expect(retired.length).to.be.greaterThan(0)
        recorded.add('ssh.ca.retire')
        expect(retired[0]).to.deep.include(byItself)
      },
    ],
  ]

  it('AUD-01 actions of the service itself have no actor; all others have the browser, address and credential', async () => {
    for (const [title, step] of steps)
      await step().catch((error: unknown) => {
        throw new Error(`${title}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        })
      })
    expect([...recorded].sort()).to.deep.equal([...actionsDrivenBeside].sort())
  })
})
