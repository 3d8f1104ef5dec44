import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { roleKeys } from '../../../domain/roles.ts'
import { rebuildReadModels } from '../../../cli/server/rebuild.ts'
import { newId } from '../../../adapters/kernel/ids.ts'
import { audited, linesOf } from '../../support/audit/audit.ts'
import {
  recordingLog,
  system,
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'
import { refusal, success, walk, type Json, type Send } from './support.ts'

const NDJSON = { Accept: 'application/x-ndjson' }
const FIRST = 'aud_00000000000000000000000000'

describe('The audit trail', function () {
  this.timeout(90_000)
  let place: TestPlace
  let service: TestService
  let admin: TestPerson
  let send: Send
  let n = 0
  before(async () => {
    place = await testPlace()
    service = await testService(place)
    admin = await service.person({ name: 'Grace Admin' }, ['global_admin'])
    send = as(admin)
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })

  const as =
    (person: TestPerson): Send =>
    (method, path, body, headers = {}) =>
      service.api(method, path, { as: person, headers, ...(body === undefined ? {} : { body }) })
  const invite = async (name = 'Ada', as_ = send): Promise<Json> =>
    success(await as_('POST', '/users', { email: `p${String(++n)}@example.com`, name }), 201)
  const trail = async (query: string): Promise<Json[]> => {
    await audited(service)
    return success(await send('GET', `/audit?${query}`))
  }
  const query = async (sql: string, values: readonly unknown[] = []) =>
    (await service.core.services.pool.query<Record<string, unknown>>(sql, [...values])).rows
  const verified = async (): Promise<void> => {
    await audited(service)
    const { differences } = await rebuildReadModels(place.config, recordingLog(), true)
    expect(differences).to.deep.equal([])
  }

  it('AUD-01 an entry has every field, and is found by its id', async () => {
    const { id } = await invite('Ada Lovelace')
    const [entry] = await trail(`targetId=${id}`)
    const { time, correlationId, position, hash, ...rest } = entry
    expect(rest).to.deep.equal({
      id: entry.id,
      actorId: admin.userId,
      actorType: 'user',
      actorName: 'Grace Admin',
      credential: { type: 'session', id: admin.sessionId },
      action: 'user.invite',
      summary: 'Invited Ada Lovelace',
      targetType: 'user',
      targetId: id,
      target: 'Ada Lovelace',
      otherId: null,
      other: null,
      ip: '127.0.0.1',
      userAgent: 'node',
      causationId: null,
      changes: [],
      outcome: 'success',
    })
    expect(entry.id).to.match(/^aud_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(correlationId).to.match(/^[0-9a-f-]{36}$/)
    const [stored] = (await service.core.eventLog.readStream(`user-${String(id)}`)).filter(
      ({ type }) => type === 'user.invited',
    )
    expect(position).to.equal(stored?.position)
    const [{ leaf } = {}] = await query('select leaf from audit_events where id = $1', [entry.id])
    expect(hash).to.equal(
      createHash('sha256')
        .update(`\0${String(leaf)}`)
        .digest('base64'),
    )
    expect(success(await send('GET', `/audit/${String(entry.id)}`))).to.deep.equal(entry)
    refusal(await send('GET', `/audit/${newId('auditEvent')}`), 404, 'ERR_NOT_FOUND')
  })

  it('AUD-01 actions of the service itself have no actor', async () => {
    const { userId } = await userCommands(service.core.services).invite(
      { profile: { name: 'Solo', email: 'solo@example.com' }, source: 'local' },
      system,
    )
    const [entry] = await trail(`targetId=${userId}`)
    expect(entry).to.deep.include({
      actorId: null,
      actorType: 'system',
      actorName: null,
      ip: null,
      credential: { type: 'none', id: null },
    })
  })

  it('AUD-01 changes have old and new values, and show no secret', async () => {
    const { id } = await invite()
    await send('PATCH', `/users/${String(id)}`, { title: 'Countess', department: 'Engines' })
    await send('PUT', `/users/${String(id)}/roles`, { roles: ['auditor', 'app_admin'] })
    await send('PUT', `/users/${String(id)}/roles`, { roles: ['auditor'] })
    const [fewer, roles, update] = await trail(`targetId=${String(id)}`)
    expect(update.changes).to.have.deep.members([
      { field: 'title', from: null, to: 'Countess' },
      { field: 'department', from: null, to: 'Engines' },
    ])
    expect(roles.changes).to.deep.equal([{ field: 'roles', from: [], to: ['auditor', 'app_admin'] }])
    expect(fewer.changes).to.deep.equal([{ field: 'roles', from: ['auditor', 'app_admin'], to: ['auditor'] }])
    const app = success(
      await send('POST', '/applications', {
        name: 'Payroll',
        protocol: 'oidc',
        type: 'web',
        redirectUris: ['https://a.example/'],
      }),
      201,
    )
    const [secret] = await trail('action=application.secret.create')
    expect(secret.changes).to.deep.equal([{ field: 'clientSecret', from: null, to: '•' }])
    expect(JSON.stringify(await trail('limit=200'))).not.to.contain(app.clientSecret)
  })

  it('AUD-01 names are those at the time of the entry, even after renaming', async () => {
    const chief = await service.person({ name: 'Chief' }, ['global_admin'])
    const { id } = await invite('Early', as(chief))
    const group = success(await send('POST', '/groups', { name: 'Old group' }), 201)
    await as(chief)('PUT', `/groups/${String(group.id)}/members/${String(id)}`, {})
    await send('PATCH', `/users/${String(id)}`, { name: 'Late' })
    await send('PATCH', `/groups/${String(group.id)}`, { name: 'New group' })
    await send('PATCH', `/users/${chief.userId}`, { name: 'Former chief' })
    await as(chief)('DELETE', `/groups/${String(group.id)}/members/${String(id)}`)
    const about = (await trail(`actorId=${chief.userId}`)).map(({ actorName, summary, target }) => [
      actorName,
      summary,
      target,
    ])
    expect(about).to.deep.equal([
      ['Former chief', 'Removed Late from the group New group (removed)', 'New group'],
      ['Chief', 'Added Early to the group Old group (assigned)', 'Old group'],
      ['Chief', 'Invited Early', 'Early'],
    ])
  })

  it('AUD-01 EVT-03 erasing a user keeps the entries without personal data, as a replay does', async () => {
    const doomed = await service.person({ name: 'Doomed Person', email: 'doomed@example.com' }, [
      'global_admin',
    ])
    const { id } = await invite('Invitee', as(doomed))
    await send('PATCH', `/users/${doomed.userId}`, { name: 'Doomed Again', title: 'Secretive' })
    await send('PATCH', `/users/${doomed.userId}`, { email: 'doomed2@example.com' })
    await send('PUT', `/users/${doomed.userId}/roles`, { roles: [] })
    await send('DELETE', `/users/${doomed.userId}`)
    const before = await trail('limit=200')
    expect(JSON.stringify(before)).to.match(/Doomed Person.*|Secretive/)
    expect((await trail(`targetId=${String(id)}`))[0]).to.include({
      actorName: 'Doomed Person',
      ip: '127.0.0.1',
    })

    success(await send('POST', `/users/${doomed.userId}/erase`), 204)
    expect(JSON.stringify(await query('select name from audit_names')), 'with the response').not.to.match(
      /Doomed|doomed/,
    )
    await verified()
    const after = await trail('limit=200')
    expect(
      after
        .slice(1)
        .map((each: Json) => each.id)
        .slice(0, before.length),
    ).to.deep.equal(before.map((each: Json) => each.id).slice(0, after.length - 1))
    expect(after[0]).to.include({ action: 'user.erase', target: 'Erased user' })
    const everything =
      JSON.stringify(after) +
      JSON.stringify(await query('select * from audit_events')) +
      JSON.stringify(await query('select * from audit_names'))
    expect(everything).not.to.match(/Doomed|doomed|Secretive/)
    expect((await trail(`targetId=${String(id)}`))[0]).to.include({
      actorId: doomed.userId,
      actorName: 'Erased user',
      ip: null,
    })
    const changed = after.filter(
      (each: Json) => each.action === 'user.update' && each.targetId === doomed.userId,
    )
    expect(changed.map((each: Json) => [each.summary, each.changes])).to.deep.equal([
      ['Updated Erased user', []],
    ])
    const { swapped } = await rebuildReadModels(place.config, recordingLog(), false)
    expect(swapped).to.equal(true)
    expect(await trail('limit=200')).to.deep.equal(after)
  })

  it('API-01 filters by action, family, actor, target and time, page by page', async () => {
    const { id } = await invite('Filtered')
    await send('POST', `/users/${String(id)}/suspend`, {})
    await send('POST', `/users/${String(id)}/reactivate`)
    const actions = async (filter: string) =>
      (await trail(`targetId=${String(id)}&${filter}`)).map(({ action }) => action as string)
    expect(await actions('action=user.suspend')).to.deep.equal(['user.suspend'])
    expect(await actions('action=user.*')).to.deep.equal(['user.reactivate', 'user.suspend', 'user.invite'])
    expect(await actions('action=user.invite.*')).to.deep.equal([])
    expect(await actions('action=use*').catch(() => 'refused')).to.equal('refused')
    expect(await actions('action=*&targetType=user')).to.have.length(3)
    expect(await actions('targetType=group')).to.deep.equal([])
    expect(await actions(`actorId=${admin.userId}`)).to.have.length(3)
    const [, suspended] = await trail(`targetId=${String(id)}`)
    const moment = encodeURIComponent(suspended.time)
    expect(await actions(`from=${moment}`)).to.deep.equal(['user.reactivate', 'user.suspend'])
    expect(await actions(`to=${moment}`)).to.deep.equal(['user.invite'])
    const all = await trail('limit=200')
    const walked = await walk(send, '/audit?limit=7')
    expect(walked.rows).to.deep.equal(all)
    expect((await walk(send, `/audit?limit=7&after=${FIRST}`)).rows).to.deep.equal(all.toReversed())
    const person = success(await send('GET', `/users/${String(id)}/audit`))
    expect(person.map((each: Json) => each.action)).to.deep.equal([
      'user.reactivate',
      'user.suspend',
      'user.invite',
    ])
    refusal(await send('GET', `/users/${newId('user')}/audit`), 404, 'ERR_NOT_FOUND')
    for (const wrong of [
      'action=User',
      'actorId=x',
      'from=yesterday',
      'after=evt_1',
      'cursor=abc',
      'limit=0',
    ])
      refusal(await send('GET', `/audit?${wrong}`), 422, 'ERR_INVALID', `/${wrong.split('=')[0] ?? ''}`)
    const newest = await send('GET', '/audit?limit=1')
    const cursor = /cursor=([^>&]+)/.exec(newest.headers.get('link') ?? '')?.[1] ?? ''
    refusal(
      await send('GET', `/audit?limit=1&after=${FIRST}&cursor=${cursor}`),
      422,
      'ERR_INVALID',
      '/cursor',
    )
  })

  it('AUT-03 every administrator can read it, and no other user', async () => {
    for (const role of roleKeys) {
      const reader = as(await service.person({}, [role]))
      success(await reader('GET', '/audit?limit=1'))
    }
    refusal(await as(await service.person())('GET', '/audit'), 403, 'ERR_FORBIDDEN')
    expect((await service.api('GET', '/audit')).status).to.equal(401)
  })

  it('EVT-04 NDJSON continues where a reader stopped, and misses no later entry', async () => {
    // More than one page of them, in addition to earlier records.
    for (let i = 0; i < 60; i++) await invite('Many')
    await audited(service)
    const whole = await send('GET', `/audit?after=${FIRST}`, undefined, NDJSON)
    expect(whole.headers.get('content-type')).to.equal('application/x-ndjson')
    const seen = linesOf(whole.body)
    expect(seen).to.have.length.above(60)
    expect(seen).to.deep.equal((await walk(send, `/audit?limit=200&after=${FIRST}`)).rows)
    expect(linesOf((await send('GET', '/audit?limit=3', undefined, NDJSON)).body)).to.have.length(3)

    const made: string[] = []
    let writing = true
    const writers = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let i = 0; i < 15; i++) made.push((await invite('Concurrent')).id)
      }),
    ).then(() => {
      writing = false
    })
    const read = async (): Promise<number> => {
      const { body } = await send('GET', `/audit?after=${String(seen.at(-1).id)}`, undefined, NDJSON)
      const lines = linesOf(body)
      seen.push(...lines)
      return lines.length
    }
    let rounds = 0
    while (writing) if ((await read()) > 0) rounds++
    await writers
    await audited(service)
    while ((await read()) > 0) rounds++
    expect(rounds).to.be.greaterThan(1)
    expect(new Set(seen.map(({ id }) => id as string)).size, 'none twice').to.equal(seen.length)
    expect(seen.map(({ targetId }) => targetId as string)).to.include.members(made)
    expect(seen).to.deep.equal((await walk(send, `/audit?limit=200&after=${FIRST}`)).rows)
    const positions = seen.map(({ position }) => position as string)
    expect(positions).to.deep.equal([...positions].sort())
  })

  it('EVT-04 continues after a deleted entry, without missing any', async () => {
    const entries = await trail(`limit=200&after=${FIRST}`)
    const gone = entries[5]
    await query('delete from audit_events where id = $1', [gone.id])
    const next = await trail(`limit=200&after=${String(gone.id)}`)
    expect(next.map(({ id }) => id as string)).to.include.members(
      entries.slice(6).map(({ id }) => id as string),
    )
    await rebuildReadModels(place.config, recordingLog(), false)
    expect((await trail(`limit=200&after=${FIRST}`)).map(({ id }) => id as string)).to.include(gone.id)
  })
})
