import { expect } from 'chai'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose'
import { SIGNING_KEY_PURPOSE } from '../../../adapters/application/services/configuration.ts'
import { maintenanceDuties } from '../../../adapters/application/reactions/maintenance.ts'
import { signingKeyCommands } from '../../../adapters/application/commands/signing-keys.ts'
import { roleKeys } from '../../../domain/roles.ts'
import { signingKeysStream } from '../../../domain/signing-key/decider.ts'
import { oidcWorld } from '../../support/oidc/oidc.ts'
import {
  system,
  testPlace,
  testService,
  type TestPerson,
  type TestService,
} from '../../support/service/service.ts'
import { refusal, success, type Json } from './support.ts'

const DAY = 86_400

describe('OIDC-17 /signing-keys', () => {
  let service: TestService
  /** Another instance on the same database. */
  let second: TestService
  let admin: TestPerson
  let stop: () => Promise<void>
  before(async () => {
    const place = await testPlace()
    const other = await testPlace()
    service = await testService(place)
    second = await testService({ ...place, config: { ...place.config, listen: other.config.listen } })
    second = { ...second, publicUrl: `http://localhost:${String(second.port)}` }
    admin = await service.person({}, ['global_admin'])
    stop = async () => {
      await second.stop()
      await service.stop()
      await place.drop()
      await other.drop()
    }
  })
  after(() => stop())

  const list = async (at = service): Promise<Json> =>
    success(await at.api('GET', '/signing-keys', { as: admin }))
  const withStatus = async (status: string): Promise<Json> =>
    (await list()).filter((key: Json) => key.status === status)
  const keySet = async (at = service): Promise<JSONWebKeySet> =>
    (await (await fetch(`${at.publicUrl}/oauth2/keys`)).json()) as JSONWebKeySet
  const published = async (at = service): Promise<readonly (string | undefined)[]> =>
    (await keySet(at)).keys.map(({ kid }) => kid)
  const rotate = (headers: Record<string, string> = {}, as = admin) =>
    service.api('POST', '/signing-keys/rotate', { as, headers })
  /** Runs the maintenance tasks as they would run in that many seconds. */
  const maintainedIn = async (seconds: number): Promise<void> => {
    const { services } = service.core
    const clock = {
      now: () => services.clock.in(seconds),
      in: (more: number) => services.clock.in(seconds + more),
    }
    const duties = maintenanceDuties({ ...services, clock }, service.core)
    await duties.find(({ name }) => name === 'signing keys')?.run()
  }

  it('start with an active and a next key, both published', async () => {
    const keys = await list()
    expect(await withStatus('active')).to.have.length(1)
    expect(await withStatus('next')).to.have.length(1)
    const shown = keys.filter((key: Json) => key.status !== 'retired')
    expect(await published()).to.have.members(shown.map((key: Json) => key.kid))
    for (const key of keys) {
      expect(key).to.have.all.keys('id', 'kid', 'alg', 'status', 'createdAt', 'activatedAt', 'retiresAt')
      expect(key.alg).to.equal('RS256')
    }
    for (const jwk of (await keySet()).keys) {
      expect(jwk).to.have.all.keys('kty', 'n', 'e', 'kid', 'use', 'alg')
      const { modulusLength } = createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyDetails ?? {}
      expect(modulusLength).to.equal(2048)
    }
  })

  it('rotate: the next key signs immediately on each instance, and earlier signatures still verify', async () => {
    const world = oidcWorld(service)
    const elsewhere = oidcWorld(second)
    const app = await world.application('web')
    const person = await world.member(app)
    const old = await world.redeem(app, await world.code(app, person))
    const [before] = await withStatus('active')
    const [next] = await withStatus('next')
    const began = Date.now()

    const rotated = success(await rotate())
    expect(rotated).to.include({ id: next.id, kid: next.kid, status: 'active', retiresAt: null })
    expect(Date.parse(rotated.activatedAt)).to.be.at.least(began - 1000)

    for (const [at, oidc] of [
      [service, world],
      [second, elsewhere],
    ] as const) {
      const { keys } = await keySet(at)
      expect(keys.map(({ kid }) => kid)).to.include.members([before.kid, next.kid])

      const { body } = await oidc.redeem(app, await oidc.code(app, person))
      expect(decodeProtectedHeader(body.id_token).kid).to.equal(next.kid)
      for (const token of [old.body.id_token, body.id_token])
        await jwtVerify(token, createLocalJWKSet({ keys }), { issuer: service.publicUrl })
    }
    const previous = (await withStatus('previous')).find((key: Json) => key.id === before.id)
    const days = (Date.parse(previous.retiresAt) - Date.parse(rotated.activatedAt)) / 1000 / DAY
    expect(days).to.be.closeTo(7, 0.001)
  })

  it('leave the key set seven days after they were replaced, on each instance, and no earlier', async () => {
    const [replaced] = await withStatus('active')
    success(await rotate())
    const [previous] = (await withStatus('previous')).filter((key: Json) => key.id === replaced.id)
    await maintainedIn(6.99 * DAY)
    expect(await published(second)).to.include(previous.kid)
    await maintainedIn(7.01 * DAY)
    for (const at of [service, second]) expect(await published(at)).not.to.include(previous.kid)
    expect((await list()).find((key: Json) => key.id === previous.id)).to.include({ status: 'retired' })
    await maintainedIn(8 * DAY)
    expect(await published()).to.have.length(2)
  })

  it('two concurrent requests, on two instances, rotate once', async () => {
    const [next] = await withStatus('next')
    const answers = await Promise.all([
      rotate(),
      second.api('POST', '/signing-keys/rotate', { as: admin }),
      rotate(),
    ])
    const ids: string[] = answers.map((answer) => success(answer).id as string)
    const [active] = await withStatus('active')
    // A request that had already seen the first rotation requested another one.
    if (ids.every((id) => id === next.id)) expect(active.id).to.equal(next.id)
    expect(await withStatus('active')).to.have.length(1)
    expect(await withStatus('next')).to.have.length(1)
  })

  it('commands that saw the same key rotate once', async () => {
    const [next] = await withStatus('next')
    const count = (await list()).length as number
    const commands = signingKeyCommands(service.core.services)
    const ids = await Promise.all([commands.rotate(system), commands.rotate(system)])
    expect(ids).to.deep.equal([next.id, next.id])
    expect(await list()).to.have.length(count + 1)
  })

  it('a request sent again with its Idempotency-Key rotates nothing', async () => {
    const headers = { 'Idempotency-Key': 'rotate once' }
    const first = success(await rotate(headers))
    const again = await rotate(headers)
    expect(success(again)).to.deep.equal(first)
    expect(again.headers.get('idempotency-replayed')).to.equal('true')
    expect((await withStatus('active'))[0].id).to.equal(first.id)
  })

  it('can be read by every administrator, and rotated only by a global administrator', async () => {
    for (const role of roleKeys) {
      const as = await service.person({}, [role])
      success(await service.api('GET', '/signing-keys', { as }))
      if (role !== 'global_admin') refusal(await rotate({}, as), 403, 'ERR_FORBIDDEN')
    }
    const nobody = await service.person()
    refusal(await service.api('GET', '/signing-keys', { as: nobody }), 403, 'ERR_FORBIDDEN')
    refusal(await rotate({}, nobody), 403, 'ERR_FORBIDDEN')
    refusal(await service.api('GET', '/signing-keys'), 401, 'ERR_UNAUTHENTICATED')
    refusal(await rotate({ Origin: 'https://evil.example' }), 403, 'ERR_CROSS_SITE')
  })

  it('never reveal a private key: not in responses, and only encrypted in the log', async () => {
    const { services, eventLog } = service.core
    const answers = JSON.stringify([await list(), await keySet()])
    expect(answers).not.to.match(/"(d|p|q|dp|dq|qi|sealedPrivateKey)":|PRIVATE KEY/)
    const stored = await eventLog.readStream(signingKeysStream)
    expect(JSON.stringify(stored)).not.to.include('PRIVATE KEY')
    const { activeKey } = services.configuration.now()
    const { sealedPrivateKey = '', id = '' } = activeKey ?? {}
    const pem = services.vault.open(SIGNING_KEY_PURPOSE, sealedPrivateKey, id).toString()
    expect(createPrivateKey(pem).asymmetricKeyType).to.equal('rsa')
  })
})
