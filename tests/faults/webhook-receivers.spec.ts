/** Real-world endpoints: behind TLS, and malicious ones. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:https'
import type { ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '../support/service/load.ts'
import { serve, type ServeProcess } from '../support/service/processes.ts'
import { seededPlace, type SeededPlace } from '../support/service/seeded.ts'
import { testAuthority } from '../support/net/tls.ts'
import { webhookReceiver, type WebhookReceiver } from '../support/webhooks/webhook-receiver.ts'
import { isFromTheService } from '../support/webhooks/webhook-verify.ts'

const GIB = 1024 ** 3
const ROUNDS = 15
const GROWTH_MIB = 64

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
  response.writeHead(200).flushHeaders()
  const dripping = setInterval(() => response.write('x'), 1000)
  response.once('close', () => {
    clearInterval(dripping)
  })
}

/** Starts a response whose head never ends. */
const endlessHead = (response: ServerResponse): void => {
  const { socket } = response
  socket?.write('HTTP/1.1 200 OK\r\n')
  const more = (): void => {
    while (socket?.destroyed === false && socket.write(`X-${'x'.repeat(1000)}: x\r\n`));
    if (socket?.destroyed === false) socket.once('drain', more)
  }
  more()
}

const memoryOf = ({ child }: ServeProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(child.pid)}/status`, 'utf8'))?.[1]) / 1024

describe('svc serve and real-world endpoints', function () {
  this.timeout(180_000)
  let dir: string
  let place: SeededPlace
  let service: ServeProcess
  let hostile: WebhookReceiver
  let got: { readonly body: string; readonly signature: string }[]
  const servers: Server[] = []
  const ports = new Map<string, number>()
  before(async () => {
    got = []
    dir = await mkdtemp(join(tmpdir(), 'svc-tls-'))
    const [known, stranger] = await Promise.all([testAuthority(), testAuthority()])
    for (const [name, { cert, key }] of [
      ['good', await known.certify('hooks.localhost')],
      ['other name', await known.certify('elsewhere.example.com')],
      ['stranger', await stranger.certify('hooks.localhost')],
    ] as const) {
      const server = createServer({ cert, key }, (request, response) => {
        void buffer(request).then((body) => {
          got.push({ body: body.toString(), signature: String(request.headers['svc-signature']) })
          response.writeHead(204).end()
        })
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      servers.push(server)
      ports.set(name, (server.address() as AddressInfo).port)
    }
    const trusted = join(dir, 'authority.pem')
    await writeFile(trusted, known.cert)
    hostile = await webhookReceiver(
      ({ path }) => ({ '/flood': flood, '/drip': drip, '/head': endlessHead })[path] ?? 404,
    )
    place = await seededPlace()
    service = await serve(place.setting, { NODE_EXTRA_CA_CERTS: trusted })
  })
  after(async () => {
    await service.kill('SIGKILL')
    hostile.close()
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
    await place.drop()
    await rm(dir, { recursive: true, force: true })
  })

  const endpoint = async (url: string): Promise<{ readonly id: string; readonly secret: string }> => {
    const { status, body } = await ask(service.url, place.cookie, 'POST', '/webhooks', {
      url,
      events: ['webhook.*'],
    })
    expect(status, JSON.stringify(body)).to.equal(201)
    return { id: String(body['id']), secret: String(body['secret']) }
  }
  const tryOut = async (id: string) =>
    (await ask(service.url, place.cookie, 'POST', `/webhooks/${id}/test`)).body
  const behind = (name: string): string => `https://hooks.localhost:${String(ports.get(name))}/`

  it('WHK-01 WHK-05 posts to https, to a name under .localhost, if the certificate is valid', async () => {
    const { id, secret } = await endpoint(behind('good'))
    expect(await tryOut(id)).to.deep.include({ delivered: true, httpStatus: 204, error: null })
    expect(got).to.have.length(1)
    const [{ body, signature } = { body: '', signature: '' }] = got
    expect(isFromTheService(body, signature, secret)).to.equal(true)
  })

  it('WHK-05 sends nothing to an endpoint with a certificate for another name, or from an unknown authority', async () => {
    const before = got.length
    for (const name of ['other name', 'stranger']) {
      const { id } = await endpoint(behind(name))
      expect(await tryOut(id), name).to.deep.include({ delivered: false, httpStatus: null, error: 'tls' })
    }
    expect(got).to.have.length(before)
  })

  it('WHK-05 needs no more memory for a gibibyte, a byte per second, or an endless head', async () => {
    const paths = ['/flood', '/drip', '/head']
    const ids = await Promise.all(paths.map(async (path) => (await endpoint(hostile.url(path))).id))
    const round = () => Promise.all(ids.map(tryOut))
    await round()
    const before = memoryOf(service)
    for (let n = 0; n < ROUNDS; n++) {
      const [flooded, dripped, endless] = await round()
      expect(flooded).to.deep.include({ delivered: true, httpStatus: 200 })
      expect(dripped).to.deep.include({ delivered: true, httpStatus: 200 })
      expect(endless).to.deep.include({ delivered: false, httpStatus: null, error: 'connection' })
    }
    expect(memoryOf(service) - before).to.be.lessThan(GROWTH_MIB)
  })
})
