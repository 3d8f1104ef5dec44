import { expect } from 'chai'
import { newId } from '../../adapters/kernel/ids.ts'
import { riskDecider, riskStream } from '../../domain/risk/decider.ts'
import { system, testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { policyWorld } from '../support/sign-in/policies.ts'
import { newKeyOf } from '../support/ssh/openssh-keys.ts'
import { readCertificate, readRevoked } from '../support/ssh/read-certificate.ts'
import { until } from '../support/until.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

const MAPPINGS = '/ssh/principal-mappings'
const MINE = '/me/ssh/certificates'

describe('SSH-01 the certificate authority', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson

  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
  })
  after(() => service.stop())

  const send = (method: string, path: string, body?: unknown, as = admin) =>
    service.api(method, path, { as, ...(body === undefined ? {} : { body }) })
  const success = async (method: string, path: string, body?: unknown, as = admin): Promise<Json> => {
    const answer = await send(method, path, body, as)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.within(200, 204)
    return answer.body
  }
  const group = async (...members: readonly TestPerson[]): Promise<string> => {
    const { id } = await success('POST', '/groups', { name: `Servers ${newId('group')}` })
    for (const { userId } of members) await success('PUT', `/groups/${String(id)}/members/${userId}`, {})
    return String(id)
  }
  const mapped = async (fields: object, ...members: readonly TestPerson[]): Promise<Json> =>
    success('POST', MAPPINGS, { groupId: await group(...members), principals: ['deploy'], ...fields })
  const request = (as: TestPerson, fields: object = {}) =>
    send('POST', MINE, { publicKey: newKeyOf['ssh-ed25519'](), ...fields }, as)
  const issued = async (as: TestPerson, fields: object = {}): Promise<Json> => {
    const { status, body } = await request(as, fields)
    expect(status, JSON.stringify(body)).to.equal(201)
    return body
  }
  const fetched = async (path: string): Promise<Buffer> => {
    const answer = await fetch(`${service.publicUrl}/api/v1${path}`)
    expect(answer.status).to.equal(200)
    return Buffer.from(await answer.arrayBuffer())
  }
  const authorityKeys = async (): Promise<readonly string[]> =>
    (await fetched('/ssh/ca.pub')).toString().trim().split('\n')
  const isListed = async ({ serial, authorityFingerprint }: Json): Promise<boolean> =>
    readRevoked(await fetched('/ssh/revoked-keys'))[authorityFingerprint]?.includes(BigInt(serial)) ?? false

  it('SSH-01 issues a certificate that says what the mappings allow, and whose id names the user and the audit entry', async () => {
    const person = await service.person()
    await mapped({ principals: ['root'], maxValiditySeconds: 900, sourceAddresses: ['10.1.2.3/8'] }, person)
    await mapped({ principals: ['deploy', 'web'], extensions: ['permit-pty', 'permit-user-rc'] }, person)
    const before = Math.floor(Date.now() / 1000)
    const answer = await issued(person)
    const said = readCertificate(answer.certificate)
    expect(said).to.deep.include({
      type: 'ssh-ed25519-cert-v01@openssh.com',
      kind: 1,
      isGenuine: true,
      serial: BigInt(answer.serial),
      keyId: answer.keyId,
      principals: ['deploy', 'root', 'web'],
      criticalOptions: { 'source-address': '10.0.0.0/8' },
      extensions: ['permit-pty'],
      authorityFingerprint: answer.authorityFingerprint,
    })
    expect(said.validBefore - said.validAfter).to.equal(900 + 60)
    expect(said.validAfter).to.be.within(before - 61, before)
    const [email, userId, auditId] = said.keyId.split('|')
    expect({ email, userId }).to.deep.equal({ email: person.email, userId: person.userId })
    await until(async () => (await send('GET', `/audit/${String(auditId)}`)).status === 200)
    expect(await success('GET', `/audit/${String(auditId)}`)).to.deep.include({
      action: 'ssh.certificate.issue',
      targetType: 'ssh_certificate',
      targetId: answer.serial,
      actorId: person.userId,
    })
    const [listed] = await success('GET', MINE, undefined, person)
    expect(listed).to.deep.include({ serial: answer.serial, status: 'valid', principals: said.principals })
    expect(listed).not.to.have.property('certificate')
    expect(await success('GET', `/ssh/certificates/${String(answer.serial)}`)).to.deep.equal(listed)
  })

  it('SSH-01 SSH-02 gives fewer principals and a shorter validity on request, and never more', async () => {
    const person = await service.person()
    await mapped({ principals: ['root', 'web'], maxValiditySeconds: 3600 }, person)
    expect(await issued(person, { principals: ['web'], validitySeconds: 300 })).to.deep.include({
      principals: ['web'],
    })
    expect((await request(person, { validitySeconds: 3601 })).body.error).to.deep.include({
      code: 'ERR_INVALID',
      field: '/validitySeconds',
      message: 'validitySeconds: your groups allow at most 3600 seconds',
    })
    for (const principals of [['deploy'], ['web', 'deploy']])
      expect((await request(person, { principals })).body.error.code).to.equal('ERR_NO_PRINCIPALS')
    for (const principals of [['web,root'], ['web\nroot'], []])
      expect((await request(person, { principals })).body.error.code).to.equal('ERR_INVALID')
  })

  it('SSH-02 refuses a user without a mapped group, and says whom to ask', async () => {
    const person = await service.person()
    await success('PATCH', '/settings', { supportEmail: 'help@example.com' })
    const { status, body } = await request(person)
    expect(status).to.equal(403)
    expect(body.error).to.deep.include({
      code: 'ERR_NO_PRINCIPALS',
      message: 'None of your groups maps to an SSH principal. Ask help@example.com for a group that does.',
    })
    expect(await success('GET', '/me/ssh/principals', undefined, person)).to.deep.equal({
      principals: [],
      maxValiditySeconds: null,
      sourceAddresses: [],
      extensions: [],
    })
    await mapped({}, person)
    expect((await success('GET', '/me/ssh/principals', undefined, person)).principals).to.deep.equal([
      'deploy',
    ])
  })

  it('SSH-01 a membership that ends, and a mapping that is deleted, take effect at once', async () => {
    const person = await service.person()
    const mapping = await mapped({}, person)
    await issued(person)
    await success('DELETE', `/groups/${String(mapping.groupId)}/members/${person.userId}`)
    expect((await request(person)).status).to.equal(403)
    await success('PUT', `/groups/${String(mapping.groupId)}/members/${person.userId}`, {})
    await issued(person)
    expect((await send('DELETE', `/groups/${String(mapping.groupId)}`)).body.error).to.deep.include({
      code: 'ERR_CONFLICT',
      message: 'This group is still in use by the SSH principals deploy.',
    })
    await success('DELETE', `${MAPPINGS}/${String(mapping.id)}`)
    expect((await request(person)).status).to.equal(403)
    await success('DELETE', `/groups/${String(mapping.groupId)}`)
  })

  it('SSH-01 a revoked certificate is on the list that servers fetch, and so are those of suspended users', async () => {
    const [person, other] = [await service.person(), await service.person()]
    await mapped({}, person, other)
    const [first, second, third] = [await issued(person), await issued(person), await issued(other)]
    expect((await send('POST', `${MINE}/${String(third.serial)}/revoke`, {}, person)).status).to.equal(404)
    await success('POST', `${MINE}/${String(first.serial)}/revoke`, {}, person)
    await until(() => isListed(first), 5000)
    expect([await isListed(second), await isListed(third)]).to.deep.equal([false, false])
    await success('POST', `/ssh/certificates/${String(second.serial)}/revoke`, { reason: 'A stolen laptop' })
    await until(() => isListed(second), 5000)
    expect(await success('GET', `/ssh/certificates/${String(second.serial)}`)).to.deep.include({
      status: 'revoked',
      revokedBy: admin.userId,
      revokeReason: 'A stolen laptop',
    })
    const revoked = await success('GET', `/ssh/certificates?status=revoked&userId=${person.userId}`)
    expect(revoked.map(({ serial }: Json) => serial)).to.have.members([first.serial, second.serial])
    await success('POST', `/users/${other.userId}/suspend`, {})
    await until(() => isListed(third), 5000)
    expect((await request(other)).status).to.equal(401)
  })

  it('SSH-01 access policies decide about certificates as about an application', async () => {
    const person = await service.person()
    await mapped({}, person)
    const policies = policyWorld(service)
    const applications = { include: ['ssh'], exclude: [] }
    await policies.under({ action: 'block', conditions: { applications } }, async () => {
      expect((await request(person)).body.error.code).to.equal('ERR_BLOCKED_BY_POLICY')
      expect((await send('GET', '/me', undefined, person)).status, 'everything else').to.equal(200)
    })
    const weak = await service.signIn(person.userId, person.email, { methods: ['authenticator_code'] })
    await policies.under({ action: 'require_strong', conditions: { applications } }, async () => {
      expect((await request(weak)).body.error.code).to.equal('ERR_STRONGER_AUTH_REQUIRED')
      await issued(person)
    })
  })

  it('SSH-01 a user at high risk gets none until the risk is resolved', async () => {
    const person = await service.person()
    await mapped({}, person)
    const { body } = await send('POST', `/users/${person.userId}/confirm-compromised`, { note: 'Phished' })
    expect(body.level).to.equal('high')
    expect((await request(person)).status).to.equal(401)
    const other = await service.person()
    await mapped({}, other)
    const riskEventId = newId('riskEvent')
    const { handle } = service.core.services
    await handle(
      riskDecider,
      riskStream(riskEventId),
      {
        type: 'detect',
        risk: {
          riskEventId,
          userId: other.userId,
          riskType: 'credential_cloned',
          level: 'high',
          signInId: null,
          sessionId: null,
          ip: null,
          location: null,
          detail: { methodId: newId('method') },
        },
      },
      system,
    )
    expect((await request(other)).body.error.code).to.equal('ERR_BLOCKED_BY_POLICY')
    await success('POST', `/risk-events/${riskEventId}/dismiss`, { note: 'A test' })
    await issued(other)
  })

  it('SSH-01 rejects keys that it does not accept, saying why', async () => {
    const person = await service.person()
    await mapped({}, person)
    for (const [publicKey, why] of [
      ['ssh-rsa AAAA', /damaged/],
      ['-----BEGIN OPENSSH PRIVATE KEY-----', /never the private key/],
      [`${newKeyOf['ssh-ed25519']()}\nssh-ed25519 AAAA`, /one line/],
    ] as const) {
      const { status, body } = await request(person, { publicKey })
      expect(status).to.equal(422)
      expect(body.error.field).to.equal('/publicKey')
      expect(body.error.message).to.match(why)
    }
  })

  it('SSH-01 a request that is sent again with the same Idempotency-Key records one certificate', async () => {
    const person = await service.person()
    await mapped({}, person)
    const body = { publicKey: newKeyOf['ssh-ed25519']() }
    const once = () =>
      service.api('POST', MINE, { as: person, body, headers: { 'Idempotency-Key': 'laptop-1' } })
    const [first, second] = [await once(), await once()]
    expect(second.body).to.deep.equal(first.body)
    expect(await success('GET', MINE, undefined, person)).to.have.length(1)
  })

  it('SSH-01 the key of the authority rotates without a moment at which servers do not know it', async () => {
    const person = await service.person()
    await mapped({}, person)
    const known = await authorityKeys()
    expect(known.map((line) => /\((\w+)\)$/.exec(line)?.[1])).to.deep.equal(['active', 'next'])
    const old = await issued(person)
    const rotated = await success('POST', '/ssh/ca/rotate', {})
    expect(rotated.status).to.equal('active')
    const certificate = await issued(person)
    expect(certificate.authorityFingerprint).to.equal(rotated.fingerprint)
    const blobs = (lines: readonly string[]) => lines.map((line) => line.split(' ')[1])
    expect(blobs(known), 'fetched before the rotation').to.include(rotated.publicKey.split(' ')[1])
    expect(blobs(await authorityKeys()), 'fetched after it').to.include.members(blobs(known))
    const keys = await success('GET', '/ssh/ca/keys')
    const byPrint = new Map(keys.map((key: Json) => [key.fingerprint, key.status]))
    expect(byPrint.get(old.authorityFingerprint)).to.equal('previous')
    expect(JSON.stringify(keys)).not.to.match(/sealed|private/i)
    // A certificate of the previous key can still be revoked.
    await success('POST', `/ssh/certificates/${String(old.serial)}/revoke`, {})
    await until(() => isListed(old), 5000)
  })

  it('SSH-01 what is not a mapping, a certificate or a group is refused by name', async () => {
    const missing = { groupId: newId('group'), principals: ['deploy'] }
    expect((await send('POST', MAPPINGS, missing)).body.error).to.deep.include({ field: '/groupId' })
    expect((await send('PATCH', `${MAPPINGS}/${newId('sshPrincipalMapping')}`, {})).status).to.equal(404)
    expect((await send('GET', '/ssh/certificates/7')).status).to.equal(404)
    expect((await send('POST', '/ssh/certificates/7/revoke', {})).status).to.equal(404)
    expect((await send('GET', '/ssh/certificates/99999999999999999999')).status).to.equal(404)
  })
})
