import { expect } from 'chai'
import { audited, linesOf } from '../../support/audit/audit.ts'
import { ocsfProblems } from '../../support/audit/ocsf-schema.ts'
import { startPlace, success, walk, type Json, type Place } from './support.ts'

const FIRST = 'aud_00000000000000000000000000'
const NDJSON = 'application/x-ndjson'
const OCSF = 'application/vnd.ocsf+x-ndjson'

describe('The forms and filters of the audit trail and of sign-ins', function () {
  this.timeout(120_000)
  let place: Place
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  const ask = (path: string, accept: string, headers: Record<string, string> = {}) =>
    place.send('GET', path, undefined, { Accept: accept, ...headers })
  const invite = async (name: string, email: string): Promise<string> =>
    success(await place.send('POST', '/users', { name, email }), 201).id
  const attempt = () =>
    place.service.api('POST', '/auth/code', { body: { email: 'nobody@example.com', code: '000000' } })

  it('AUD-01 OCSF has the same entries in the same order, each valid for its schema', async () => {
    await invite('Ada', 'ada@example.com')
    await audited(place.service)
    const plain = linesOf((await ask(`/audit?after=${FIRST}`, NDJSON)).body)
    const answer = await ask(`/audit?after=${FIRST}`, OCSF)
    expect(answer.headers.get('content-type')).to.equal(OCSF)
    expect(answer.headers.get('vary')).to.match(/accept/i)
    const events = linesOf(answer.body)
    expect(events.flatMap((event) => ocsfProblems(event))).to.deep.equal([])
    expect(events.map(({ metadata }) => metadata.uid as string)).to.deep.equal(
      plain.map(({ id }) => id as string),
    )
    const invited = events.find(({ message }) => message === 'Invited Ada')
    expect(invited).to.deep.include({ type_uid: 300101, http_request: { user_agent: 'node' } })
    expect(linesOf((await ask('/audit?limit=2', OCSF)).body)).to.have.length(2)
  })

  it('AUD-01 the preferred format is chosen, or JSON if none is known', async () => {
    const chosen = async (accept: string) => (await ask('/audit?limit=1', accept)).headers.get('content-type')
    for (const [accept, type] of [
      ['*/*', 'application/json'],
      ['text/html, */*;q=0.8', 'application/json'],
      ['text/csv', 'application/json'],
      ['', 'application/json'],
      [`${NDJSON};q=0.5, ${OCSF}`, OCSF],
      [`${NDJSON}, ${OCSF};q=0`, NDJSON],
      [`application/json;q=0.1, ${NDJSON.toUpperCase()}`, NDJSON],
      [`${NDJSON};q=0, */*`, 'application/json'],
      [`${OCSF};q=nonsense`, 'application/json'],
    ] as const)
      expect(await chosen(accept), accept).to.match(new RegExp(`^${type.replaceAll('+', '\\+')}`))
  })

  it('AUD-01 a browser name is recorded without control characters, and truncated', async () => {
    const agent = `Tester/1.0\t${'x'.repeat(400)}`
    const id = success(
      await place.send(
        'POST',
        '/users',
        { name: 'Agent', email: 'agent@example.com' },
        { 'User-Agent': agent },
      ),
      201,
    ).id as string
    await audited(place.service)
    const [entry]: Json[] = success(await place.send('GET', `/audit?targetId=${id}`))
    expect(entry.userAgent).to.equal(`Tester/1.0${'x'.repeat(246)}`)
    const { eventLog } = place.service.core
    const [stored] = await eventLog.readStream(`user-${id}`)
    expect(stored?.metadata['userAgent'], 'encrypted, like the address').to.match(/^sealed!/)
    expect(stored?.metadata['ip']).to.match(/^sealed!/)
  })

  it('API-01 finds entries by any name of a party, and by the request that caused them', async () => {
    const id = await invite('Qualified Name', 'qn@example.com')
    await place.send('PATCH', `/users/${id}`, { name: 'Renamed Thing' })
    const group = success(await place.send('POST', '/groups', { name: 'Q people' }), 201).id as string
    await place.send('PUT', `/groups/${group}/members/${id}`, {})
    await audited(place.service)
    const actions = async (query: string) =>
      (success(await place.send('GET', `/audit?${query}`)) as Json[]).map(({ action }) => action as string)
    const all = ['group.member.add', 'user.update', 'user.invite']
    expect(await actions('q=qualified')).to.deep.equal(all)
    expect(await actions('q=renamed')).to.deep.equal(all)
    expect(await actions('q=Q%25')).to.deep.equal([])
    expect(await actions('q=grace&action=group.create')).to.deep.equal(['group.create'])
    const [entry]: Json[] = success(await place.send('GET', `/audit?targetId=${id}&action=user.invite`))
    expect(await actions(`correlationId=${String(entry.correlationId)}`)).to.deep.equal(['user.invite'])
    expect(await actions('correlationId=none')).to.deep.equal([])
  })

  it('AUD-01 pages do not shift when entries are added meanwhile', async () => {
    for (let i = 0; i < 12; i++) await invite('Before', `before${String(i)}@example.com`)
    await audited(place.service)
    const shown: Json[] = success(await place.send('GET', '/audit?limit=200'))
    let n = 0
    const meanwhile: typeof place.send = async (...args) => {
      await invite('Meanwhile', `meanwhile${String(n++)}@example.com`)
      await audited(place.service)
      return place.send(...args)
    }
    const newest = (await walk(meanwhile, '/audit?limit=4')).rows
    expect(newest.slice(1).map(({ id }) => id as string)).to.deep.equal(shown.map(({ id }) => id as string))
    const before = n
    const stop: typeof place.send = (...args) => (n < before + 3 ? meanwhile(...args) : place.send(...args))
    const oldest = (await walk(stop, `/audit?limit=4&after=${FIRST}`)).rows.map(({ id }) => id as string)
    const after: Json[] = success(await place.send('GET', `/audit?limit=200&after=${FIRST}`))
    expect(oldest, 'nothing twice, nothing missed').to.deep.equal(after.map(({ id }) => id as string))
  })

  it('AUD-01 reading sign-ins can continue from any of them, in every format', async () => {
    for (let i = 0; i < 5; i++) await attempt()
    await audited(place.service, 'core')
    const start = 'evt_00000000000000000000000000'
    const from = async (id: string, accept = NDJSON) =>
      linesOf((await ask(`/sign-ins?after=${id}`, accept)).body)
    const all = await from(start)
    expect(all.length).to.be.at.least(5)
    expect(all[0]).not.to.have.any.keys('position', 'sortKey')
    expect(await from(all[1].id)).to.deep.equal(all.slice(2))
    expect((await walk(place.send, `/sign-ins?limit=2&after=${start}`)).rows).to.deep.equal(all)
    const events = await from(start, OCSF)
    expect(events.flatMap((event) => ocsfProblems(event))).to.deep.equal([])
    expect(events.map(({ metadata }) => metadata.uid as string)).to.deep.equal(
      all.map(({ id }) => id as string),
    )
    const newest = linesOf((await ask('/sign-ins', NDJSON)).body)
    expect(newest).to.deep.equal(all.toReversed())
    await attempt()
    await audited(place.service, 'core')
    expect(await from(all.at(-1).id)).to.have.length(1)
    expect((await place.send('GET', `/sign-ins?after=${FIRST}`)).status).to.equal(422)
  })
})
