/** A secret key that is lost permanently: what the service refuses, what the command deletes, and what works afterwards. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import pg from 'pg'
import { acceptLostSecretKey } from '../../cli/server/accept-lost-secret-key.ts'
import { verifyLive } from '../../cli/server/audit.ts'
import { rebuildReadModels } from '../../cli/server/rebuild.ts'
import { bootstrapLink } from '../../cli/server/setup-link.ts'
import { codeAt } from '../support/sign-in/authenticator.ts'
import { audited } from '../support/audit/audit.ts'
import { oidcWorld } from '../support/oidc/oidc.ts'
import { newJar, passkeyWorld } from '../support/sign-in/passkey-world.ts'
import { runSvc } from '../support/service/processes.ts'
import { furnishedService } from '../support/secret-key/lost-key-world.ts'
import { eager } from '../support/scim/provisioning.ts'
import { formIn, samlWorld } from '../support/saml/saml.ts'
import { scimApp, type ScimApp } from '../support/scim/scim-app.ts'
import { recordingLog, testPlace, testService, type TestPlace } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { webhookReceiver } from '../support/webhooks/webhook-receiver.ts'
import { quick, webhookPlaceOf } from '../support/webhooks/webhooks.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

const NEW_KEY = 'the new key '.repeat(4).replaceAll(' ', '-')
const killer = new URL('../support/secret-key/kill-at-statement.mjs', import.meta.url).href

const timing = { webhooks: quick, provisioning: eager }

const underNewKey = (place: TestPlace): TestPlace => ({
  ...place,
  config: { ...place.config, secretKey: NEW_KEY },
})

const refusal = async (work: Promise<unknown>): Promise<{ message: string; exitCode?: number }> => {
  try {
    await work
  } catch (error) {
    return error as { message: string; exitCode?: number }
  }
  return expect.fail('expected a refusal')
}

describe('a lost secret key', function () {
  this.timeout(300_000)
  let place: TestPlace
  let app: ScimApp
  let receiver: Awaited<ReturnType<typeof webhookReceiver>>
  before(async () => {
    app = await scimApp()
    receiver = await webhookReceiver(() => 500)
  })
  beforeEach(async () => {
    place = await testPlace()
  })
  afterEach(() => place.drop())
  after(async () => {
    await app.stop()
    receiver.close()
  })

  const verify = async (at: TestPlace): Promise<unknown> => {
    const { differences } = await rebuildReadModels(at.config, recordingLog(), true)
    expect(differences).to.deep.equal([])
    const { integrity, completeness, findings } = await verifyLive(at.config, recordingLog(), {
      key: undefined,
      checkpoint: [],
    })
    expect(findings).to.deep.equal([])
    return { integrity, completeness }
  }

  it('CLI-03 WHK-11 SCX-04 EVT-03 is accepted by a command, and the service then reports what it cannot read', async () => {
    const first = await testService(place, timing)
    const world = await furnishedService(first, app, receiver.url('/hook'))
    const kept = await first.api('GET', '/audit/checkpoint', {
      as: world.session,
      headers: { Accept: 'text/plain' },
    })
    expect(kept.status).to.equal(200)
    const formerKey = (await first.api('GET', '/audit/key.pub')).body as string
    await first.stop()

    const lost = underNewKey(place)
    const wrong = await refusal(testService(lost))
    expect(wrong.exitCode).to.equal(2)
    expect(wrong.message).to.match(/fingerprint is [\w-]{22}, expected [\w-]{22}.*accept-lost-secret-key/)

    const setting = { databaseUrl: place.databaseUrl, secretKey: NEW_KEY }
    const env = { SVC_PUBLIC_URL: place.config.publicUrl }
    const refused = await runSvc(['accept-lost-secret-key'], setting, env)
    expect(refused.code).to.equal(2)
    expect(refused.output).to.contain('--yes-the-key-is-lost')
    const done = await runSvc(['accept-lost-secret-key', '--yes-the-key-is-lost'], setting, env)
    expect([done.code, done.output]).to.deep.equal([0, done.output])
    expect(done.output).to.match(/1 authenticator apps.*\n.*1 webhook endpoints.*\n.*1 SCIM services/)

    const service = await testService(lost, timing)
    try {
      const oidc = oidcWorld(service)
      const passkeys = passkeyWorld(service)
      const jar = newJar()
      const admin = await passkeys.signIn(world.holder, jar)
      const send = (method: string, path: string, body?: unknown) =>
        service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })

      // Users still exist, without encrypted data; an administrator sets their name and address again.
      const read = await send('GET', `/users/${world.leaver.userId}`)
      expect(read.body).to.include({ name: 'Unreadable user', status: 'active', emailVerified: false })
      expect(read.body.email).to.match(/^unreadable\+[0-9a-z]{26}@invalid$/)
      const email = 'found.again@example.com'
      const renamed = await send('PATCH', `/users/${world.leaver.userId}`, { name: 'Found Again', email })
      expect([renamed.status, renamed.body.name, renamed.body.email]).to.deep.equal([
        200,
        'Found Again',
        email,
      ])
      const twice = await send('PATCH', `/users/${world.codes.userId}`, { email })
      expect([twice.status, twice.body.error.code]).to.deep.equal([409, 'ERR_CONFLICT'])
      expect(
        (await send('PATCH', `/users/${world.codes.userId}`, { email: world.codes.email })).status,
      ).to.equal(200)
      expect((await send('GET', `/users/${world.erased.userId}`)).body.name).to.equal('Erased user')
      for (const path of [
        '/users',
        '/devices',
        '/sign-ins',
        '/sessions',
        '/audit',
        '/webhooks',
        '/signing-keys',
        '/ssh/ca/keys',
        '/me',
      ])
        expect((await send('GET', path)).status, path).to.equal(200)

      // Codes are no longer valid.
      for (const code of [codeAt(world.codes.secret, 1), world.codes.recoveryCodes[0]]) {
        const answer = await service.api('POST', '/auth/code', { body: { email: world.codes.email, code } })
        expect(answer.body.error.code).to.equal('ERR_CODE_MISMATCH')
      }

      // Pending requests are unknown; new signatures verify, and so do earlier ones.
      expect((await oidc.refresh(world.client, world.tokens.refresh_token)).body.error).to.equal(
        'invalid_grant',
      )
      expect((await oidc.redeem(world.client, world.code)).body.error).to.equal('invalid_grant')
      expect((await oidc.userinfo(world.tokens.access_token)).status).to.equal(401)
      const fresh = await oidc.tokens(world.client, admin, 'openid profile email offline_access')
      const keys = createRemoteJWKSet(new URL(`${service.publicUrl}/oauth2/keys`))
      const { payload, protectedHeader } = await jwtVerify(fresh.id_token, keys)
      expect(payload.sub).to.equal(world.holder.userId)
      expect(payload).not.to.have.any.keys('email', 'email_verified', 'name', 'preferred_username')
      await jwtVerify(world.tokens.id_token, keys)
      const former = (await send('GET', '/signing-keys')).body as {
        id: string
        status: string
        kid: string
      }[]
      for (const { id } of world.formerKeys)
        expect(former.find((key) => key.id === id)).to.include({ status: 'previous' })
      expect(former.find(({ kid }) => kid === protectedHeader.kid)).to.include({ status: 'active' })

      // SSH: a readable key signs certificates. Servers still trust the former ones.
      const authority = (await send('GET', '/ssh/ca/keys')).body as { status: string }[]
      expect(authority.map(({ status }) => status).sort()).to.deep.equal([
        ...['active', 'next', 'previous', 'previous'],
      ])

      // SAML: the new certificate signs. An unreadable address is omitted.
      const saml = samlWorld(service, oidc)
      const asking = await saml.client(world.sp)
      const url = await asking.getAuthorizeUrlAsync('', undefined, {})
      const form = await saml.get(url, admin)
      const denied = Buffer.from(formIn(form.text).fields['SAMLResponse'] ?? '', 'base64').toString()
      expect(denied).to.contain('urn:oasis:names:tc:SAML:2.0:status:RequestDenied')
      expect(denied).not.to.match(/unreadable|<saml:Assertion/i)
      await send('PATCH', `/users/${world.holder.userId}`, { name: 'Ada', email: 'ada.again@example.com' })
      const again = await saml.get(await asking.getAuthorizeUrlAsync('', undefined, {}), admin)
      expect((await saml.received(asking, formIn(again.text))).nameID).to.equal('ada.again@example.com')

      // Webhook endpoints are flagged and get nothing more.
      const hooks = webhookPlaceOf(service, admin)
      const before = receiver.received.length
      expect((await send('GET', `/webhooks/${world.endpoint.id}`)).body.secretReadable).to.equal(false)
      await hooks.happen('Happens afterwards')
      await service.core.workPool.query(
        `update work.webhook_delivery set next_attempt_at = now() where status = 'retrying'`,
      )
      await until(
        async () => {
          const rows = await hooks.deliveries(world.endpoint.id)
          return (
            rows.length >= 2 &&
            rows.every(({ status, error }) => status === 'failed' && error === 'secret_unreadable')
          )
        },
        20_000,
        'deliveries that fail',
      )
      expect(receiver.received.length).to.equal(before)

      // SCIM tokens must be sent again; placeholders are not pushed.
      const own = `/provisioning/applications/${world.provisioned.applicationId}`
      for (const path of ['/test', '/sync']) {
        const { status, body } = await send('POST', `${own}${path}`)
        expect([status, body.error.code]).to.deep.equal([422, 'ERR_TOKEN_UNREADABLE'])
      }
      expect((await send('PUT', own, { baseUrl: app.baseUrl, token: app.token })).status).to.equal(200)
      expect((await send('POST', `${own}/sync`)).status).to.be.lessThan(300)
      await until(
        async () =>
          (await send('GET', `${own}/users`)).body.some(({ error }: { error: unknown }) => error !== null),
        15_000,
        'a person who is not pushed',
      )
      expect(JSON.stringify([...app.users.values()])).not.to.contain('unreadable')

      // The audit trail records it and stays provable.
      await audited(service)
      const entries = (await send('GET', '/audit?action=system.secret_key.lose')).body
      expect(entries.map(({ actorType }: { actorType: string }) => actorType)).to.deep.equal(['cli'])
      expect((await service.api('GET', '/audit/key.pub')).body).not.to.equal(formerKey)

      const link = await bootstrapLink(service.core, { email: 'new@example.com', name: 'New', force: true })
      expect(link).to.contain('/enroll/')
      const ready = await fetch(`${service.publicUrl}/readyz`)
      expect([
        ready.status,
        service.core.consumers().filter(({ status }) => status.failure !== null),
      ]).to.deep.equal([200, []])
      expect(service.log.lines.filter((line) => line.startsWith('error'))).to.deep.equal([])
      // Erasing a user after the loss leaves the rows that a replay builds.
      const verified = `/users/${world.verified.userId}`
      expect((await send('GET', verified)).body.emailVerified).to.equal(false)
      expect((await send('DELETE', verified)).status).to.be.lessThan(300)
      expect((await send('POST', `${verified}/erase`)).status).to.be.lessThan(300)
      await service.core.caughtUp()
      await audited(service)
      await verify(lost)
    } finally {
      await service.stop()
    }
    const again = await runSvc(['accept-lost-secret-key', '--yes-the-key-is-lost'], setting, env)
    expect([again.code, again.output]).to.deep.equal([
      1,
      'svc: SVC_SECRET_KEY decrypts the keyring: nothing is lost, and nothing was changed.\n',
    ])
    for (const secret of [
      NEW_KEY,
      place.config.secretKey ?? '',
      app.token,
      world.endpoint.secret,
      world.codes.secret,
    ])
      expect(done.output + refused.output + service.log.lines.join('\n')).not.to.contain(secret)
  })

  it('CLI-03 EVT-03 resumes after being killed at any step, and no other command opens the vault until then', async () => {
    const first = await testService(place)
    const person = await first.person({ name: 'Ada Lovelace' }, ['global_admin'])
    await audited(first)
    await first.stop()
    const lost = underNewKey(place)
    const steps = [
      'update vault.keyring set lost_at',
      'delete from work.auth_request',
      'insert into proof.former_key',
      `rename to ${READ_MODELS}_old`,
      'log.append',
      'log.append#3',
      'log.append#2',
      'update vault.loss',
    ]
    const killed: string[] = []
    for (const step of steps) {
      const setting = { databaseUrl: place.databaseUrl, secretKey: NEW_KEY }
      const { code } = await runSvc(['accept-lost-secret-key', '--yes-the-key-is-lost'], setting, {
        SVC_PUBLIC_URL: place.config.publicUrl,
        NODE_OPTIONS: `--import=${killer}`,
        KILL_AT: step,
      })
      if (code === 'SIGKILL') killed.push(step)
      if (killed.length > 1)
        expect((await refusal(testService(lost))).message).to.contain(
          '"svc accept-lost-secret-key" was interrupted',
        )
    }
    expect(killed).to.deep.equal(steps)
    await acceptLostSecretKey(lost.config, recordingLog())

    const service = await testService(lost)
    try {
      const read = await service.api('GET', `/users/${person.userId}`, { as: person })
      expect(read.body.name).to.equal('Unreadable user')
      await audited(service)
      const entries = await service.api('GET', '/audit?action=system.secret_key.lose', { as: person })
      expect(entries.body).to.have.length(1)
      await verify(lost)
    } finally {
      await service.stop()
    }
    const pool = new pg.Pool({ connectionString: place.databaseUrl, max: 1 })
    const { rows } = await pool.query(
      'select generation, count(*)::integer as n, bool_and(lost_at is not null) as lost from vault.keyring group by 1 order by 1',
    )
    await pool.end()
    expect(rows).to.deep.equal([
      { generation: 1, n: 2, lost: true },
      { generation: 2, n: 2, lost: false },
    ])
  })

  it('CLI-03 fails while a service runs, with the correct key, and without an installation', async () => {
    const nothing = await refusal(acceptLostSecretKey(place.config, recordingLog()))
    expect(nothing).to.include({ exitCode: 1, message: 'There is no keyring yet: nothing is lost.' })
    const service = await testService(place)
    const running = await refusal(acceptLostSecretKey(underNewKey(place).config, recordingLog()))
    expect(running.message).to.contain('The service is running')
    await service.stop()
    const right = await refusal(acceptLostSecretKey(place.config, recordingLog()))
    expect(right.message).to.contain('nothing is lost')
    await (await testService(place)).stop()
  })

  it('CLI-03 an installation with an embedded database gets a new key file in place of the lost one', async () => {
    const own = await testPlace({ database: { kind: 'embedded' }, secretKey: undefined })
    const file = join(own.config.dataDir, 'secret-key')
    try {
      const first = await testService(own)
      const person = await first.person({ name: 'Ada Lovelace' }, ['global_admin'])
      await first.stop()
      const former = await readFile(file, 'utf8')
      await rm(file)
      expect((await refusal(testService(own))).message)
        .to.contain('is missing')
        .and.contain('accept-lost-secret-key')

      await acceptLostSecretKey(own.config, recordingLog())
      expect(await readFile(file, 'utf8')).not.to.equal(former)
      const service = await testService(own)
      try {
        const read = await service.api('GET', `/users/${person.userId}`, { as: person })
        expect(read.body.name).to.equal('Unreadable user')
      } finally {
        await service.stop()
      }
      await verify(own)
    } finally {
      await own.drop()
    }
  })
})
