import { expect } from 'chai'
import { newId } from '../../adapters/kernel/ids.ts'
import { apiKey, type TestKey } from '../support/api/api-keys.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { newKeyOf } from '../support/ssh/openssh-keys.ts'
import { readCertificate, readRevoked } from '../support/ssh/read-certificate.ts'
import { until } from '../support/until.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

const PATH = '/ssh/host-certificates'

describe('SSH-01 host certificates', function () {
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
  const success = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await send(method, path, body)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.within(200, 204)
    return answer.body
  }
  const account = (...sshHostNames: readonly string[]) => apiKey(service, { sshHostNames })
  const request = (by: TestKey, fields: object = {}) =>
    by.send('POST', PATH, { publicKey: newKeyOf['ssh-ed25519'](), ...fields })
  const issued = async (by: TestKey, fields: object = {}): Promise<Json> => {
    const { status, body } = await request(by, fields)
    expect(status, JSON.stringify(body)).to.equal(201)
    return body
  }
  const setNames = ({ serviceAccountId }: TestKey, hostNames: unknown, as = admin) =>
    send('PUT', `/service-accounts/${serviceAccountId}/ssh-host-names`, { hostNames }, as)
  const fetched = async (path: string): Promise<Buffer> => {
    const answer = await fetch(`${service.publicUrl}/api/v1${path}`)
    expect(answer.status).to.equal(200)
    return Buffer.from(await answer.arrayBuffer())
  }
  const isListed = async ({ serial, authorityFingerprint }: Json): Promise<boolean> =>
    readRevoked(await fetched('/ssh/revoked-keys'))[authorityFingerprint]?.includes(BigInt(serial)) ?? false

  it('SSH-01 says which host it is, and nothing that a user certificate says', async () => {
    const web = await account('web01.example.com', '*.db.example.com', '192.0.2.7')
    const before = Math.floor(Date.now() / 1000)
    const answer = await issued(web)
    const said = readCertificate(answer.certificate)
    expect(said).to.deep.include({
      type: 'ssh-ed25519-cert-v01@openssh.com',
      kind: 2,
      isGenuine: true,
      serial: BigInt(answer.serial),
      keyId: answer.keyId,
      principals: ['web01.example.com', '192.0.2.7'],
      criticalOptions: {},
      extensions: [],
      authorityFingerprint: answer.authorityFingerprint,
    })
    expect(said.validBefore - said.validAfter).to.equal(24 * 3600 + 60)
    expect(said.validAfter).to.be.within(before - 61, before)
    const [name, accountId, auditId] = said.keyId.split('|')
    expect({ name, accountId }).to.deep.equal({
      name: 'host:web01.example.com',
      accountId: web.serviceAccountId,
    })
    await until(async () => (await send('GET', `/audit/${String(auditId)}`)).status === 200)
    expect(await success('GET', `/audit/${String(auditId)}`)).to.deep.include({
      action: 'ssh.host_certificate.issue',
      targetType: 'ssh_host_certificate',
      targetId: answer.serial,
      actorId: web.serviceAccountId,
    })
    const read = await success('GET', `${PATH}/${String(answer.serial)}`)
    expect(read).to.deep.include({ status: 'valid', hostNames: said.principals })
    expect(read).not.to.have.property('certificate')
    expect((await send('GET', `/ssh/certificates/${String(answer.serial)}`)).status).to.equal(404)
  })

  it('SSH-01 is for chosen names and a chosen time, also for names that a wildcard allows', async () => {
    const web = await account('web01.example.com', '*.db.example.com')
    const answer = await issued(web, { hostNames: ['a.db.example.com'], validitySeconds: 300 })
    const said = readCertificate(answer.certificate)
    expect(said.principals).to.deep.equal(['a.db.example.com'])
    expect(said.validBefore - said.validAfter).to.equal(360)
    for (const validitySeconds of [299, 86_401, 0, -1, 1.5, '300'])
      expect((await request(web, { validitySeconds })).status).to.equal(422)
  })

  it('SSH-02 refuses names that are not of the account, and says whom to ask', async () => {
    await success('PATCH', '/settings', { supportEmail: 'help@example.com' })
    const [web, other] = [
      await account('web01.example.com', '*.db.example.com'),
      await account('other.example.com'),
    ]
    for (const name of ['other.example.com', 'db.example.com', 'a.b.db.example.com', '192.0.2.7']) {
      const { status, body } = await request(web, { hostNames: ['web01.example.com', name] })
      expect(status, name).to.equal(403)
      expect(body.error).to.deep.include({
        code: 'ERR_NO_PRINCIPALS',
        field: '/hostNames/1',
        message: `${name} is not an SSH host name of this service account. Ask help@example.com to add it to the account.`,
      })
    }
    await issued(other, { hostNames: ['other.example.com'] })
    const none = await apiKey(service, { roles: ['global_admin'] })
    expect((await request(none)).body.error.code, 'roles do not help').to.equal('ERR_NO_PRINCIPALS')
    const onlyWildcard = await account('*.example.com')
    const { status, body } = await request(onlyWildcard)
    expect(status).to.equal(422)
    expect(body.error.message).to.include('*.example.com')
  })

  it('SSH-01 refuses what could be another name, or every name', async () => {
    const web = await account('web01.example.com', '*.db.example.com')
    const wrong: readonly unknown[] = [
      ...[[], ['*'], ['*.db.example.com'], [''], null, 'web01.example.com', [null], ['web01.example.com', 1]],
      ...[
        ['web01.example.com\nroot'],
        ['web01.example.com,*'],
        ['web01.example.com\0'],
        ['web01.example.com '],
      ],
      ...[['WEB01.example.com'], ['web01.example.com.'], ['a.db.example.com.'], ['bücher.db.example.com']],
      ...[['?.db.example.com'], ['!a.db.example.com'], [`${'a'.repeat(64)}.db.example.com`]],
      ...[['web01.example.com', 'web01.example.com'], [`${'a.'.repeat(130)}db.example.com`]],
    ]
    for (const hostNames of wrong) {
      const { status, body } = await request(web, { hostNames })
      expect(status, JSON.stringify(hostNames)).to.equal(422)
      expect(body.error.code).to.equal('ERR_INVALID')
    }
    const many = Array.from({ length: 101 }, (_, n) => `h${String(n)}.db.example.com`)
    expect((await request(web, { hostNames: many })).status).to.equal(422)
    expect(
      readCertificate((await issued(web, { hostNames: many.slice(1) })).certificate).principals,
    ).to.have.length(100)
    expect((await request(web, { principals: ['web01.example.com'] })).status).to.equal(400)
    expect((await request(web, { publicKey: 'ssh-rsa AAAA' })).body.error.field).to.equal('/publicKey')
  })

  it('SSH-01 account names are in one form: patterns, DNS names and addresses', async () => {
    const web = await account('web01.example.com')
    const wrong: readonly unknown[] = [
      ...['*', '*.com', '*.', '**.example.com', 'a.*.example.com', 'web*.example.com', '*.*.example.com'],
      ...['WEB.example.com', 'web.example.com.', 'web.example.com,db', 'web\n', 'web\0', ' web', 'web_1', ''],
      ...['bücher.example.com', '127.1', '0x7f.1', '192.0.2.0/24', '2001:DB8::7', '2001:db8:0::7', '[::1]'],
      ...['::ffff:192.0.2.7', 'fe80::1%lo', `${'a'.repeat(64)}.example.com`, `${'a.'.repeat(127)}a`, null, 7],
    ]
    for (const name of wrong) {
      const { status, body } = await setNames(web, ['web01.example.com', name])
      expect(status, JSON.stringify(name)).to.equal(422)
      expect(body.error.field).to.equal('/hostNames/1')
    }
    for (const names of [Array.from({ length: 101 }, (_, n) => `h${String(n)}`), ['a', 'a'], null, 'web01'])
      expect((await setNames(web, names)).status).to.equal(422)
    const good = ['*.example.com', 'xn--bcher-kva.example.com', 'db', '192.0.2.7', '2001:db8::7']
    const changed = await setNames(web, good)
    expect(changed.status).to.equal(200)
    expect(changed.body).to.deep.include({ sshHostNames: good, version: 3 })
    expect((await setNames(web, [...good].reverse())).body, 'the same names').to.deep.include({ version: 3 })
    const stale = { as: admin, body: { hostNames: [] }, headers: { 'If-Match': '"1"' } }
    const path = `/service-accounts/${web.serviceAccountId}/ssh-host-names`
    expect((await service.api('PUT', path, stale)).status).to.equal(412)
    expect(
      (await send('PUT', `/service-accounts/${newId('user')}/ssh-host-names`, { hostNames: [] })).status,
    ).to.equal(404)
  })

  it('SSH-01 the names of an account are given by security administrators, after a recent sign-in', async () => {
    const web = await account('web01.example.com')
    const path = `/service-accounts/${web.serviceAccountId}`
    const [security, people] = [
      await service.person({}, ['security_admin']),
      await service.person({}, ['user_admin']),
    ]
    expect((await setNames(web, ['db.example.com'], people)).status).to.equal(403)
    const old = await service.signIn(security.userId, security.email, { age: 3600 })
    expect((await setNames(web, ['db.example.com'], old)).body.error.code).to.equal('ERR_REAUTH_REQUIRED')
    expect((await setNames(web, ['db.example.com'], security)).status).to.equal(200)
    for (const body of [{ sshHostNames: ['*.example.com'] }, { hostNames: ['*.example.com'] }])
      expect((await send('PATCH', path, body)).status).to.equal(400)
    // A key of the account would get certificates, so these administrators get none.
    const key = { name: 'mine', scopes: ['api'] }
    expect((await send('POST', `${path}/keys`, key, people)).body.error.code).to.equal('ERR_FORBIDDEN')
    expect(
      (await send('POST', '/api-keys', { serviceAccountId: web.serviceAccountId, ...key }, people)).status,
    ).to.equal(403)
    expect((await send('POST', `${path}/disable`, {}, people)).status).to.equal(403)
    expect((await send('DELETE', `/api-keys/${web.keyId}`, undefined, people)).status).to.equal(403)
    const both = await service.person({}, ['user_admin', 'security_admin'])
    expect((await send('POST', `${path}/keys`, key, both)).status).to.equal(201)
  })

  it('SSH-01 a key that was created before the account could certify hosts does not get that right', async () => {
    const early = await apiKey(service)
    expect((await setNames(early, ['*.example.com'])).status).to.equal(200)
    expect((await request(early, { hostNames: ['web.example.com'] })).status).to.equal(401)
    const revocation = async (): Promise<string> => {
      const [entry] = await success('GET', `/audit?targetId=${early.keyId}&action=api_key.revoke`)
      return String(entry?.summary)
    }
    await until(async () => /because the account was given SSH host names$/.test(await revocation()), 5000)
    const later = await account('web01.example.com')
    expect((await setNames(later, ['web01.example.com', 'web02.example.com'])).status).to.equal(200)
    await issued(later)
  })

  it('SSH-01 only keys of the API get certificates, while they and their account are valid', async () => {
    const body = { publicKey: newKeyOf['ssh-ed25519']() }
    expect((await send('POST', PATH, body)).status, 'a session').to.equal(401)
    expect((await service.api('POST', PATH, { body })).status).to.equal(401)
    const scim = await apiKey(service, { sshHostNames: ['web01.example.com'], scopes: ['scim'] })
    expect((await request(scim)).status).to.equal(403)
    const [revoked, disabled, deleted, expired] = [
      await account('a.example.com'),
      await account('b.example.com'),
      await account('c.example.com'),
      await apiKey(service, {
        sshHostNames: ['d.example.com'],
        expiresAt: service.core.services.clock.in(2),
      }),
    ]
    await issued(expired)
    await success('DELETE', `/api-keys/${revoked.keyId}`)
    await success('POST', `/service-accounts/${disabled.serviceAccountId}/disable`, {})
    await success('DELETE', `/service-accounts/${deleted.serviceAccountId}`)
    for (const key of [revoked, disabled, deleted]) expect((await request(key)).status).to.equal(401)
    await until(async () => (await request(expired)).status === 401, 10_000)
  })

  it('SSH-01 the revocation list has what clients must not accept any more', async () => {
    const [revoked, disabled, deleted, renamed, narrowed, kept] = [
      await account('a.example.com'),
      await account('b.example.com'),
      await account('c.example.com'),
      await account('d.example.com', 'e.example.com'),
      await account('*.f.example.com'),
      await account('*.g.example.com', 'h.example.com', '192.0.2.7', 'db', '2001:db8::7'),
    ]
    const [first, second, third, fourth] = [
      await issued(revoked),
      await issued(disabled),
      await issued(deleted),
      await issued(renamed, { hostNames: ['d.example.com'] }),
    ]
    const fifth = await issued(narrowed, { hostNames: ['web.f.example.com'] })
    const good = await issued(kept, {
      hostNames: ['web.g.example.com', 'h.example.com', '192.0.2.7', 'db', '2001:db8::7'],
    })
    const all = [first, second, third, fourth, fifth, good]
    for (const one of all) expect(await isListed(one)).to.equal(false)
    await success('POST', `${PATH}/${String(first.serial)}/revoke`, { reason: 'The server was sold' })
    await success('POST', `/service-accounts/${disabled.serviceAccountId}/disable`, {})
    await success('DELETE', `/service-accounts/${deleted.serviceAccountId}`)
    expect((await setNames(renamed, ['e.example.com'])).status).to.equal(200)
    expect((await setNames(narrowed, ['f.example.com', '*.example.com'])).status).to.equal(200)
    await until(() => isListed(fifth), 5000)
    expect(await Promise.all(all.map(isListed))).to.deep.equal([true, true, true, true, true, false])
    await success('POST', `/service-accounts/${disabled.serviceAccountId}/enable`, {})
    await until(async () => !(await isListed(second)), 5000)
    expect(await success('GET', `${PATH}/${String(first.serial)}`)).to.deep.include({
      status: 'revoked',
      revokedBy: admin.userId,
      revokeReason: 'The server was sold',
    })
    await success('POST', `${PATH}/${String(first.serial)}/revoke`, {})
    expect((await send('POST', `/ssh/certificates/${String(good.serial)}/revoke`, {})).status).to.equal(404)
    expect((await send('POST', `${PATH}/7/revoke`, {})).status).to.equal(404)
  })

  it('SSH-01 are listed by account, name and status, in pages', async () => {
    const web = await account('list.example.com', '*.list.example.com')
    const [first, second] = [await issued(web), await issued(web, { hostNames: ['a.list.example.com'] })]
    await success('POST', `${PATH}/${String(first.serial)}/revoke`, {})
    const of = async (query: string): Promise<readonly string[]> =>
      (await success('GET', `${PATH}?${query}`)).map(({ serial }: Json) => serial)
    expect(await of(`serviceAccountId=${web.serviceAccountId}`)).to.deep.equal([second.serial, first.serial])
    expect(await of('hostName=a.list.example.com')).to.deep.equal([second.serial])
    expect(await of(`serviceAccountId=${web.serviceAccountId}&status=revoked`)).to.deep.equal([first.serial])
    const { body, headers } = await send('GET', `${PATH}?serviceAccountId=${web.serviceAccountId}&limit=1`)
    expect(body.map(({ serial }: Json) => serial)).to.deep.equal([second.serial])
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
    const rest = await service.api('GET', new URL(next, service.publicUrl).href.split('/api/v1')[1] ?? '', {
      as: admin,
    })
    expect(rest.body.map(({ serial }: Json) => serial)).to.deep.equal([first.serial])
  })

  it('SSH-01 a request that is sent again with the same Idempotency-Key records one certificate', async () => {
    const web = await account('again.example.com')
    const body = { publicKey: newKeyOf['ssh-ed25519']() }
    const once = () =>
      service.api('POST', PATH, { body, headers: { ...web.headers, 'Idempotency-Key': 'boot-1' } })
    const [first, second] = [await once(), await once()]
    expect(first.status).to.equal(201)
    expect(second.body).to.deep.equal(first.body)
    expect(await success('GET', `${PATH}?hostName=again.example.com`)).to.have.length(1)
  })

  it('SSH-01 clients that have fetched the known hosts know the key of before and after a rotation', async () => {
    const web = await account('rotated.example.com')
    const known = async (): Promise<string> => (await fetched('/ssh/known-hosts')).toString()
    const before = await known()
    expect(before.trim().split('\n')).to.have.length(2)
    for (const line of before.trim().split('\n'))
      expect(line).to.match(/^@cert-authority \* ssh-ed25519 [\w+/=]+ \S+ SSH authority \((?:active|next)\)$/)
    await issued(web)
    const { publicKey } = await success('POST', '/ssh/ca/rotate', {})
    expect((await issued(web)).certificate).to.be.a('string')
    expect(before).to.include(publicKey)
    expect((await known()).trim().split('\n')).to.have.length(3)
    for (const line of before.trim().split('\n'))
      expect(await known()).to.include(line.split(' ').slice(0, 4).join(' '))
  })
})
