import { expect } from 'chai'
import { createServer, type Server } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { ServerResponse } from 'node:http'
import { postEvent } from '../../../adapters/outbound/webhooks/post.ts'
import { openEgress, type Egress } from '../../../adapters/engines/egress/client.ts'
import { until } from '../../support/until.ts'
import {
  envelope,
  webhookReceiver,
  type Answer,
  type WebhookReceiver,
} from '../../support/webhooks/webhook-receiver.ts'
import { webhookPlace, type WebhookPlace } from '../../support/webhooks/webhooks.ts'

const GIB = 1024 ** 3
const TIMEOUT = 1
/** Requests at the same time to one endpoint */
const MOST_AT_ONCE = 8

/** Returns 200 and a body of a gibibyte, as quickly as it is read. */
const flood = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Length': String(GIB) })
  const piece = Buffer.alloc(65_536, 'x')
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

/** Returns 200 and then one byte per second. */
const drip = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Type': 'text/plain' }).flushHeaders()
  const dripping = setInterval(() => response.write('x'), 1000)
  response.once('close', () => {
    clearInterval(dripping)
  })
}

describe('hostile webhook receivers', function () {
  this.timeout(120_000)
  let place: WebhookPlace
  let receiver: WebhookReceiver
  let dead: WebhookReceiver
  /** Sends its status line one byte at a time. */
  let slow: Server
  let answers: (path: string) => Answer
  before(async () => {
    receiver = await webhookReceiver(({ path }) => answers(path))
    dead = await webhookReceiver(() => 'hang')
    slow = createServer((socket) => {
      const line = Array.from('HTTP/1.1 200 OK\r\n\r\n')
      const dripping = setInterval(() => socket.write(line.shift() ?? ''), 400)
      socket
        .on('error', () => undefined)
        .on('close', () => {
          clearInterval(dripping)
        })
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    place = await webhookPlace({ timeout: TIMEOUT })
  })
  after(async () => {
    await place.service.stop()
    receiver.close()
    dead.close()
    slow.close()
  })
  afterEach(async () => {
    for (const { id } of (await place.send('GET', '/webhooks')).body as { id: string }[])
      await place.send('DELETE', `/webhooks/${id}`)
  })

  const attempted = async (id: string) => {
    await until(
      async () => (await place.deliveries(id)).some(({ attempts }) => attempts > 0),
      20_000,
      'a first attempt',
    )
    return (await place.deliveries(id))[0]
  }

  it('WHK-05 a 200 counts even if a large or slow body follows, which no request waits for', async () => {
    answers = (path) => (path === '/flood' ? flood : drip)
    const flooding = await place.endpoint(receiver.url('/flood'))
    const dripping = await place.endpoint(receiver.url('/drip'))
    const before = process.memoryUsage().rss
    for (let n = 0; n < 3; n++) await place.happen()
    for (const { id } of [flooding, dripping]) {
      await until(async () => {
        const all = await place.deliveries(id)
        return all.length === 3 && all.every(({ status }) => status === 'delivered')
      }, 30_000)
      for (const { durationMs } of await place.deliveries(id)) expect(durationMs).to.be.lessThan(3000)
    }
    expect(process.memoryUsage().rss - before).to.be.lessThan(GIB / 4)
  })

  it('WHK-05 no response, an incomplete response, no connection and no TLS are failures, each reported with its cause', async () => {
    answers = () => (response) => {
      response.socket?.destroy()
    }
    const slowly = `http://127.0.0.1:${String((slow.address() as AddressInfo).port)}/`
    const closed = await webhookReceiver()
    closed.close()
    const expected: [string, string][] = [
      [dead.url('/dead'), 'timeout'],
      [slowly, 'timeout'],
      [receiver.url('/reset'), 'connection'],
      [closed.url('/'), 'connection'],
      [receiver.url('/').replace('http:', 'https:'), 'tls'],
      ['https://no-such-name.invalid/', 'dns'],
    ]
    const ids = await Promise.all(
      expected.map(async ([url, error]) => ({ error, id: (await place.endpoint(url)).id })),
    )
    await place.happen()
    for (const { id, error } of ids) {
      const row = await attempted(id)
      expect(row).to.include({ status: 'retrying', error, httpStatus: null, attempts: 1 })
      expect(row.errorText).to.be.a('string').with.length.within(1, 500)
    }
  })

  it('WHK-07 a failing endpoint does not delay others, and gets a few requests at a time', async () => {
    answers = () => 200
    const hanging = await place.endpoint(dead.url('/queue'))
    await place.endpoint(receiver.url('/lively'))
    const groups: string[] = []
    for (let n = 0; n < 25; n++) groups.push(await place.happen())
    await until(() => receiver.at('/lively').length === 25)
    expect(receiver.at('/lively').map((each) => envelope(each).data['targetId'])).to.deep.equal(groups)
    await until(() => dead.at('/queue').length >= 6, 20_000)
    expect(dead.most()).to.be.within(2, MOST_AT_ONCE)
    // Requests that are sent at the same time can arrive in another order.
    for (const [n, each] of dead.at('/queue').entries())
      expect(groups.slice(0, n + MOST_AT_ONCE)).to.include(envelope(each).data['targetId'])
    const waiting = await place.deliveries(hanging.id)
    expect(waiting.filter(({ status }) => status === 'queued')).not.to.have.length(0)
    expect(waiting.filter(({ status }) => status === 'delivered')).to.have.length(0)
  })

  for (const url of [
    'https://169.254.169.254/latest/meta-data/',
    'https://0.0.0.0/',
    'https://[::]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[fe80::1]/',
    'https://224.0.0.1/',
  ])
    it(`WHK-01 never reaches ${url}`, async () => {
      const { id } = await place.endpoint(url)
      const { body } = await place.send('POST', `/webhooks/${id}/test`)
      expect(body).to.include({ delivered: false, error: 'connection', httpStatus: null })
      expect((body as { errorText: string }).errorText).to.match(/does not connect/)
    })

  describe('behind names', () => {
    const opened: Egress[] = []
    after(async () => {
      for (const egress of opened) await egress.close()
    })
    const post = (addresses: (nth: number) => string, denied: readonly string[] = []) => {
      let lookUps = 0
      const egress = openEgress(denied, (_, done) => {
        const address = addresses(++lookUps)
        done(null, [{ address, family: address.includes(':') ? 6 : 4 }])
      })
      opened.push(egress)
      const url = `http://hooks.example.com:${String(receiver.port)}/named`
      return postEvent(egress, { url, secret: 'whsec_x', body: '{}', at: new Date().toISOString() }, TIMEOUT)
    }
    for (const address of ['169.254.169.254', '0.0.0.0', '::', '::ffff:a9fe:a9fe', 'fe80::1'])
      it(`WHK-01 never reaches a name that resolves to ${address}`, async () => {
        expect(await post(() => address)).to.include({ error: 'connection', httpStatus: null })
      })
    it('WHK-01 connects to exactly the checked address, even if the name then resolves to another', async () => {
      answers = () => 200
      const outcome = await post((nth) => (nth === 1 ? '127.0.0.1' : '169.254.169.254'))
      expect(outcome).to.include({ error: null, httpStatus: 200 })
      expect(await post((nth) => (nth === 1 ? '127.0.0.1' : '10.0.0.1'), ['127.0.0.0/8'])).to.include({
        error: 'connection',
      })
    })
  })
})
