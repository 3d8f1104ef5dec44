import { expect } from 'chai'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { storeLimits } from '../../../cli/server/store-limits.ts'
import { everythingStored, refusal, startPlace, success, type Place } from './support.ts'
import { system, testService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { READ_MODELS } from '../../../read-models/schema.ts'

const NOBODY = 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV'

describe('API users', function () {
  this.timeout(60_000)
  let place: Place
  let n = 0
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  const invite = async (more: object = {}) => {
    const email = `invited${String(++n)}@example.com`
    return success(await place.send('POST', '/users', { email, name: 'Ada Lovelace', ...more }), 201)
  }

  it('API-07 ID-01 ID-03 POST /users returns the record, the link, its expiry in 7 days and emailed', async () => {
    const answer = await place.send('POST', '/users', {
      email: 'Ada@Example.com',
      name: 'Ada Lovelace',
      department: 'Engineering',
    })
    const user = success(answer, 201)
    expect(user).to.include({
      email: 'Ada@Example.com',
      name: 'Ada Lovelace',
      department: 'Engineering',
      status: 'invited',
      kind: 'person',
      emailed: false,
      version: 2,
    })
    expect(user.id).to.match(/^usr_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(user.enrollUrl).to.match(new RegExp(`^${place.service.publicUrl}/enroll/[\\w-]{43}$`))
    const days = (Date.parse(user.expiresAt) - Date.parse(user.createdAt)) / 86_400_000
    expect(days).to.be.closeTo(7, 0.01)
    expect(answer.headers.get('location')).to.equal(`${place.service.publicUrl}/api/v1/users/${user.id}`)
    expect(answer.headers.get('etag')).to.equal('"2"')
    const { enrollUrl: _, expiresAt: __, emailed: ___, ...record } = user
    expect(success(await place.send('GET', `/users/${user.id}`))).to.deep.equal(record)
  })

  it('API-04 an address is unique in any letter case; of 20 concurrent requests one succeeds', async () => {
    await invite({ email: 'taken@example.com' })
    refusal(
      await place.send('POST', '/users', { email: 'TAKEN@Example.COM', name: 'Other' }),
      409,
      'ERR_CONFLICT',
      '/email',
    )
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        place.send('POST', '/users', {
          email: i % 2 === 0 ? 'race@example.com' : 'Race@Example.com',
          name: 'R',
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(19).fill(409)])
  })

  it('API-05 invalid fields are reported with the expected form', async () => {
    const wrong: [object, string][] = [
      [{ email: 'ada' }, '/email'],
      [{ email: 'a@b@c' }, '/email'],
      [{ email: `${'a'.repeat(65)}@example.com` }, '/email'],
      [{ email: 'ada@-example.com' }, '/email'],
      [{ email: 'ada@exa mple.com' }, '/email'],
      [{ email: 'ada\r\nbcc:x@example.com' }, '/email'],
      [{ name: '' }, '/name'],
      [{ name: ' ' }, '/name'],
      [{ name: 'Ada\u0000' }, '/name'],
      [{ name: 'Ada\u0007Lovelace' }, '/name'],
      [{ name: 'x'.repeat(201) }, '/name'],
      [{ locale: 'no_such' }, '/locale'],
      [{ locale: 'e' }, '/locale'],
      [{ timeZone: 'Mars/Olympus' }, '/timeZone'],
      [{ startDate: '2026-02-30' }, '/startDate'],
      [{ startDate: '2026-02-02', endDate: '2026-02-01' }, '/endDate'],
      [{ managerId: NOBODY }, '/managerId'],
      [{ managerId: 'grp_01ARZ3NDEKTSV4RRFFQ69G5FAV' }, '/managerId'],
      [{ custom: { team: 1 } }, '/custom/team'],
    ]
    for (const [fields, field] of wrong) {
      const answer = await place.send('POST', '/users', {
        email: 'check@example.com',
        name: 'Check',
        ...fields,
      })
      const message = refusal(answer, 422, 'ERR_INVALID', field)
      expect(message).to.match(/expected/)
    }
    refusal(await place.send('POST', '/users', { name: 'No address' }), 422, 'ERR_INVALID', '/email')
    refusal(
      await place.send('POST', '/users', { email: 'a@b', name: 'A', nick: 'x' }),
      400,
      'ERR_INVALID_JSON',
    )
    success(await place.send('POST', '/users', { email: 'ada@localhost', name: 'No dot is needed' }), 201)
  })

  it('API-03 PATCH changes only what is sent; null clears a field; If-Match detects a newer version', async () => {
    const { id } = await invite({ department: 'Engineering', title: 'Engineer', custom: { team: 'blue' } })
    const changed = success(
      await place.send('PATCH', `/users/${id}`, { title: null, timeZone: 'Europe/London', locale: 'en-GB' }),
    )
    expect(changed).to.include({
      department: 'Engineering',
      title: null,
      timeZone: 'Europe/London',
      version: 3,
    })
    expect(changed.custom).to.deep.equal({ team: 'blue' })
    refusal(
      await place.send('PATCH', `/users/${id}`, { title: 'x' }, { 'If-Match': '"2"' }),
      412,
      'ERR_STALE',
    )
    success(await place.send('PATCH', `/users/${id}`, { title: 'Lead' }, { 'If-Match': '"3"' }))
    refusal(await place.send('PATCH', `/users/${id}`, { managerId: id }), 422, 'ERR_INVALID', '/managerId')
    refusal(
      await place.send('PATCH', `/users/${id}`, { email: 'grace@EXAMPLE.com' }),
      409,
      'ERR_CONFLICT',
      '/email',
    )
    const moved = success(await place.send('PATCH', `/users/${id}`, { email: 'moved@example.com' }))
    expect(moved).to.include({ email: 'moved@example.com', emailVerified: false })
    refusal(await place.send('PATCH', `/users/${NOBODY}`, { title: 'x' }), 404, 'ERR_NOT_FOUND')
  })

  it('API-03 of ten changes to one version, one succeeds', async () => {
    const { id, version } = await invite()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        place.send(
          'PATCH',
          `/users/${id}`,
          { title: `T${String(i)}` },
          { 'If-Match': `"${String(version)}"` },
        ),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    expect(answers.filter(({ status }) => status === 412)).to.have.length(9)
  })

  it('suspends and reactivates; sessions end before the response; wrong states cause a conflict', async () => {
    const person = await place.service.person()
    const send = place.as(person)
    refusal(await send('GET', '/users'), 403, 'ERR_FORBIDDEN')
    success(await place.send('POST', `/users/${person.userId}/suspend`, { reason: 'on leave' }), 204)
    refusal(await send('GET', '/users'), 401, 'ERR_UNAUTHENTICATED')
    const shown = success(await place.send('GET', `/users/${person.userId}`))
    expect(shown).to.include({ status: 'suspended', suspendReason: 'on leave' })
    refusal(await place.send('POST', `/users/${person.userId}/suspend`), 409, 'ERR_CONFLICT')
    success(await place.send('POST', `/users/${person.userId}/reactivate`), 204)
    refusal(await place.send('POST', `/users/${person.userId}/reactivate`), 409, 'ERR_CONFLICT')
    const back = success(await place.send('GET', `/users/${person.userId}`))
    expect(back).to.include({ status: 'active', suspendReason: null })
  })

  it('a new invitation replaces the old one, until the user has enrolled', async () => {
    const first = await invite()
    const second = success(await place.send('POST', `/users/${first.id}/invite`))
    expect(second.id).to.equal(first.id)
    expect(second.enrollUrl).not.to.equal(first.enrollUrl)
    refusal(await place.send('POST', `/users/${place.admin.userId}/invite`), 409, 'ERR_CONFLICT')
  })

  it('lists and removes methods except the last one; a reset ends sessions and returns a link', async () => {
    const person = await place.service.person()
    const methods = success(await place.send('GET', `/users/${person.userId}/methods`))
    expect(methods).to.have.length(1)
    expect(methods[0]).to.include({ type: 'passkey', name: 'Test passkey' })
    refusal(
      await place.send('DELETE', `/users/${person.userId}/methods/${methods[0].id}`),
      409,
      'ERR_LAST_METHOD',
    )
    const link = success(await place.send('POST', `/users/${person.userId}/reset-methods`))
    expect(link).to.have.all.keys('enrollUrl', 'expiresAt', 'emailed')
    expect(success(await place.send('GET', `/users/${person.userId}/methods`))).to.deep.equal([])
    refusal(await place.as(person)('GET', '/users'), 401, 'ERR_UNAUTHENTICATED')
    refusal(await place.send('POST', `/users/${(await invite()).id}/reset-methods`), 409, 'ERR_CONFLICT')
  })

  it('API-08 PUT roles accepts the complete list of keys; GET shows display names', async () => {
    const { id } = await invite()
    const two = success(await place.send('PUT', `/users/${id}/roles`, { roles: ['auditor', 'user_admin'] }))
    expect(two.roles).to.have.members(['Auditor', 'User administrator'])
    expect(two.roleKeys).to.have.members(['auditor', 'user_admin'])
    const [row] = success(await place.send('GET', `/users?email=${two.email}`))
    expect(row).not.to.have.property('roles')
    const [full] = success(await place.send('GET', `/users?email=${two.email}&include=roles`))
    expect(full.roleKeys).to.have.members(['auditor', 'user_admin'])
    expect(success(await place.send('PUT', `/users/${id}/roles`, { roles: [] })).roles).to.deep.equal([])
    refusal(
      await place.send('PUT', `/users/${id}/roles`, { roles: ['king'] }),
      422,
      'ERR_INVALID',
      '/roles/0',
    )
  })

  it('AUT-05 the last administrator cannot be removed; of two who suspend each other concurrently one remains', async () => {
    const { userId } = place.admin
    refusal(await place.send('POST', `/users/${userId}/suspend`), 409, 'ERR_LAST_ADMIN')
    refusal(await place.send('DELETE', `/users/${userId}`), 409, 'ERR_LAST_ADMIN')
    refusal(await place.send('PUT', `/users/${userId}/roles`, { roles: ['auditor'] }), 409, 'ERR_LAST_ADMIN')
    const other = await place.service.person({}, ['global_admin'])
    const [one, two] = await Promise.all([
      place.send('POST', `/users/${other.userId}/suspend`),
      place.as(other)('POST', `/users/${userId}/suspend`),
    ])
    const statuses = [one.status, two.status]
    expect(statuses.filter((status) => status === 204)).to.have.length(1)
    expect(statuses.find((status) => status !== 204)).to.be.oneOf([401, 409])
    if (two.status === 204) {
      const undo = place.as(await place.service.signIn(other.userId, other.email))
      success(await undo('POST', `/users/${userId}/reactivate`), 204)
      Object.assign(place.admin, await place.service.signIn(userId, place.admin.email))
      success(await undo('PUT', `/users/${other.userId}/roles`, { roles: [] }))
    }
  })

  it('AUT-05 only a global administrator acts on an account with a role', async () => {
    const userAdmin = place.as(await place.service.person({}, ['user_admin']))
    const helpdesk = place.as(await place.service.person({}, ['helpdesk_admin']))
    const auditor = await place.service.person({}, ['auditor'])
    const plain = await place.service.person()
    const { userId } = auditor
    refusal(await userAdmin('POST', `/users/${userId}/suspend`), 403, 'ERR_FORBIDDEN')
    refusal(await userAdmin('DELETE', `/users/${userId}`), 403, 'ERR_FORBIDDEN')
    refusal(await userAdmin('PATCH', `/users/${userId}`, { email: 'mine@example.com' }), 403, 'ERR_FORBIDDEN')
    refusal(await helpdesk('POST', `/users/${userId}/reset-methods`), 403, 'ERR_FORBIDDEN')
    refusal(await helpdesk('POST', `/users/${userId}/sessions/revoke`), 403, 'ERR_FORBIDDEN')
    refusal(await helpdesk('DELETE', `/sessions/${auditor.sessionId}`), 403, 'ERR_FORBIDDEN')
    success(await helpdesk('POST', `/users/${plain.userId}/sessions/revoke`), 204)
    refusal(await place.as(plain)('GET', '/users'), 401, 'ERR_UNAUTHENTICATED')
  })

  it('a deleted user remains as a tombstone, and the address can be used again', async () => {
    const { id, email } = await invite()
    refusal(await place.send('POST', `/users/${id}/erase`), 409, 'ERR_CONFLICT')
    success(await place.send('DELETE', `/users/${id}`), 204)
    refusal(await place.send('DELETE', `/users/${id}`), 404, 'ERR_NOT_FOUND')
    refusal(await place.send('PATCH', `/users/${id}`, { title: 'x' }), 404, 'ERR_NOT_FOUND')
    expect(success(await place.send('GET', `/users/${id}`)).status).to.equal('deleted')
    expect(success(await place.send('GET', `/users?email=${email}`))).to.deep.equal([])
    const gone = success(await place.send('GET', '/users?status=deleted'))
    expect(gone.map((user: { id: string }) => user.id)).to.include(id)
    await invite({ email })
  })

  it('erasure leaves no personal data in the log or read models', async () => {
    const secret = 'Zebedee-Quux'
    const { id } = await invite({ email: `${secret}@example.com`, name: secret, department: secret })
    success(await place.send('PATCH', `/users/${id}`, { title: secret }))
    success(await place.send('DELETE', `/users/${id}`), 204)
    const { databaseUrl } = place.service
    expect(await everythingStored(databaseUrl, '^rm')).to.include(secret)
    expect(await everythingStored(databaseUrl, '^(?!rm)')).not.to.include(secret)
    success(await place.send('POST', `/users/${id}/erase`), 204)
    const shown = success(await place.send('GET', `/users/${id}`))
    expect(shown).to.include({ name: 'Erased user', status: 'deleted', department: null, title: null })
    expect(shown.email).to.equal(`erased+${id.slice(4).toLowerCase()}@invalid`)
    // The audit trail updates its names later.
    await until(
      async () => {
        const all = await everythingStored(databaseUrl, '')
        return (
          !all.toLowerCase().includes(secret.toLowerCase()) &&
          !all.includes(Buffer.from(secret).toString('hex'))
        )
      },
      5_000,
      'the end of all that was stored',
    )
  })

  it('erasure destroys the key immediately, even while the audit trail cannot drop the names', async () => {
    const service = await testService(undefined, { limits: { ...storeLimits, inForce: 1500 } })
    const admin = await service.person({}, ['global_admin'])
    const { userId } = await service.person()
    await service.api('DELETE', `/users/${userId}`, { as: admin })
    const holding = await service.core.workPool.connect()
    try {
      await holding.query(`begin; lock table ${READ_MODELS}.audit_names in access exclusive mode`)
      const answer = await service.api('POST', `/users/${userId}/erase`, { as: admin })
      expect(refusal(answer, 503, 'ERR_UNAVAILABLE')).to.contain('recorded')
      const { rows } = await service.core.workPool.query(
        'select wrapped from vault.person_key where subject = $1',
        [userId],
      )
      expect(rows).to.deep.equal([{ wrapped: null }])
    } finally {
      await holding.query('rollback')
      holding.release()
      await service.stop()
    }
  })

  it('a repeated erasure returns only after the first one is in effect', async () => {
    const service = await testService(undefined, { limits: { ...storeLimits, inForce: 1500 } })
    const admin = await service.person({}, ['global_admin'])
    const { userId } = await service.person()
    await service.api('DELETE', `/users/${userId}`, { as: admin })
    const { erase } = userCommands(service.core.services)
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => null,
        (error: unknown) => (error as { code?: unknown }).code,
      )
    const holding = await service.core.workPool.connect()
    try {
      await holding.query(`begin; lock table ${READ_MODELS}.users in access exclusive mode`)
      for (const idempotencyKey of [undefined, 'once', 'once']) {
        const actor = { ...system, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
        expect(await codeOf(erase(userId, actor))).to.equal('ERR_UNAVAILABLE')
      }
    } finally {
      await holding.query('rollback')
      holding.release()
    }
    await until(async () => (await codeOf(erase(userId, system))) === null)
    await service.stop()
  })

  it('API-07 a repeated Idempotency-Key gets the same user and link; another body is rejected', async () => {
    const key = { 'Idempotency-Key': 'invite-1' }
    const body = { email: 'once@example.com', name: 'Once' }
    const first = success(await place.send('POST', '/users', body, key), 201)
    const again = await place.send('POST', '/users', body, key)
    expect(success(again, 201)).to.deep.equal(first)
    expect(again.headers.get('idempotency-replayed')).to.equal('true')
    refusal(await place.send('POST', '/users', { ...body, name: 'Two' }, key), 422, 'ERR_INVALID')
  })
})
