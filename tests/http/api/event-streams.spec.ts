/** The audit trail and sign-ins as event streams (Server-Sent Events). */
import { expect } from 'chai'
import { audited } from '../../support/audit/audit.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { startPlace, success, type Json, type Place } from './support.ts'

interface Stream {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
  /** The events so far */
  readonly events: { readonly id: string; readonly data: Json }[]
  /** Whether the service ended the stream */
  readonly hasEnded: () => boolean
  readonly close: () => void
}

describe('The audit trail and sign-ins as event streams', function () {
  this.timeout(60_000)
  let place: Place
  const opened: Stream[] = []
  before(async () => {
    place = await startPlace()
  })
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close()
  })
  after(() => place.service.stop())

  const follow = async (
    path: string,
    person: TestPerson | null,
    headers: Record<string, string> = {},
    service: TestService = place.service,
  ): Promise<Stream> => {
    // Commands do not wait for the audit trail; the stream begins after its newest entry.
    await audited(service)
    const leave = new AbortController()
    const response = await fetch(`${service.publicUrl}/api/v1${path}`, {
      headers: {
        Accept: 'text/event-stream',
        ...(person === null ? {} : { Cookie: person.cookie }),
        ...headers,
      },
      signal: leave.signal,
    })
    const events: { id: string; data: Json }[] = []
    let ended = false
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    const read = async (): Promise<void> => {
      let text = ''
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString()
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          const [, id, data] = /^id: (.+)\ndata: (.+)$/.exec(block) ?? []
          if (id !== undefined && data !== undefined) events.push({ id, data: JSON.parse(data) })
        }
      }
      ended = true
    }
    if (isStream) void read().catch(() => undefined)
    const stream: Stream = {
      status: response.status,
      headers: response.headers,
      body: isStream ? null : await response.json(),
      events,
      hasEnded: () => ended,
      close: () => leave.abort(),
    }
    opened.push(stream)
    return stream
  }

  let invited = 0
  const invite = async (name: string): Promise<string> =>
    success(
      await place.send('POST', '/users', { name, email: `invited-${String(++invited)}@example.com` }),
      201,
    ).id
  const targets = ({ events }: Stream) => events.map(({ data }) => data.targetId as string)

  it('AUD-01 sends new entries as they are recorded, with the filters of the list', async () => {
    const stream = await follow('/audit?action=user.invite', place.admin)
    expect(stream.status).to.equal(200)
    expect(stream.headers.get('cache-control')).to.equal('no-store')
    const ids = [await invite('First'), await invite('Second')]
    await until(() => stream.events.length >= 2)
    expect(targets(stream)).to.deep.equal(ids)
    const [first] = stream.events
    expect(success(await place.send('GET', `/audit/${String(first?.id)}`))).to.deep.equal(first?.data)
  })

  it('AUD-01 a client that reconnects misses nothing and sees nothing twice', async () => {
    const stream = await follow('/audit?action=user.invite', place.admin)
    await invite('Seen')
    await until(() => stream.events.length === 1)
    stream.close()
    const missed = [await invite('Missed'), await invite('Missed too')]
    const again = await follow('/audit?action=user.invite', place.admin, {
      'Last-Event-ID': stream.events[0]?.id ?? '',
    })
    missed.push(await invite('Live'))
    await until(() => again.events.length >= 3)
    expect(targets(again)).to.deep.equal(missed)
  })

  it('sends sign-in attempts as they are made', async () => {
    const stream = await follow('/sign-ins?result=failure', place.admin)
    await place.service.api('POST', '/auth/code', { body: { email: 'stranger@example.com', code: '000000' } })
    await until(() => stream.events.length === 1)
    expect(stream.events[0]?.data).to.include({ email: 'stranger@example.com', result: 'failure' })
  })

  it('AUT-05 opens for administrators only', async () => {
    const user = await place.service.person()
    const refused = await follow('/audit', user)
    expect([refused.status, refused.body.error.code]).to.deep.equal([403, 'ERR_FORBIDDEN'])
    const anonymous = await follow('/audit', null)
    expect([anonymous.status, anonymous.body.error.code]).to.deep.equal([401, 'ERR_UNAUTHENTICATED'])
    const wrong = await follow('/audit', place.admin, { 'Last-Event-ID': 'yesterday' })
    expect([wrong.status, wrong.body.error.code]).to.deep.equal([422, 'ERR_INVALID'])
  })

  it('ends with the session, the role or the account, and sends nothing recorded later', async () => {
    const ends: Readonly<Record<string, (person: TestPerson) => Promise<Json>>> = {
      session: ({ sessionId }) => place.send('DELETE', `/sessions/${sessionId}`),
      role: ({ userId }) => place.send('PUT', `/users/${userId}/roles`, { roles: [] }),
      account: ({ userId }) => place.send('POST', `/users/${userId}/suspend`, { reason: 'Left' }),
    }
    for (const [name, end] of Object.entries(ends)) {
      const auditor = await place.service.person({}, ['auditor'])
      const stream = await follow('/audit?action=user.invite', auditor)
      const seen = await invite('Before')
      await until(() => stream.events.length === 1, 10_000, name)
      expect((await end(auditor)).status, name).to.be.lessThan(300)
      await invite('After')
      await until(stream.hasEnded, 10_000, name)
      expect(targets(stream), name).to.deep.equal([seen])
    }
  })

  it('limits the open streams of one session', async () => {
    const auditor = await place.service.person({}, ['auditor'])
    const streams: Stream[] = []
    for (let n = 0; n < 6; n++) streams.push(await follow('/audit', auditor))
    expect(streams.map(({ status }) => status)).to.deep.equal(Array(6).fill(200))
    const refused = await follow('/audit', auditor)
    expect([refused.status, refused.body.error.code]).to.deep.equal([429, 'ERR_RATE_LIMITED'])
    expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0)
    streams[0]?.close()
    await until(async () => (await follow('/audit', auditor)).status === 200)
  })

  it('ends when the service stops', async () => {
    const service = await testService()
    const auditor = await service.person({}, ['auditor'])
    const stream = await follow('/audit', auditor, {}, service)
    expect(stream.status).to.equal(200)
    await service.stop()
    await until(stream.hasEnded)
    const errors = service.log.lines.filter((line) => line.startsWith('error'))
    expect(errors).to.deep.equal([])
  })
})
