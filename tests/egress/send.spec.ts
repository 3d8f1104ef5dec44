/** Requests whose whole response is read: the limits for addresses that administrators configure. */
import { expect } from 'chai'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import {
  EgressError,
  openEgress,
  type Egress,
  type OutgoingRequest,
} from '../../adapters/engines/egress/client.ts'

describe('requests whose response is read', () => {
  let server: Server
  let port: number
  let requests: {
    readonly line: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  let connections: number
  let sent: number
  const opened: Egress[] = []

  const stream = (response: ServerResponse, chunk: string, every: number): void => {
    const more = setInterval(() => {
      sent += chunk.length
      response.write(chunk)
    }, every)
    response.on('close', () => {
      clearInterval(more)
    })
  }
  const answer = (path: string, response: ServerResponse): void => {
    const [, what = '', size = '0'] = path.split('/')
    if (what === 'hang') return
    if (what === 'cut') {
      response.writeHead(200, { 'Content-Length': '10' }).write('five.')
      setImmediate(() => response.destroy())
    } else if (what === 'bytes') response.writeHead(200).end('x'.repeat(Number(size)))
    else if (what === 'said')
      response.writeHead(200, { 'Content-Length': size }).end('x'.repeat(Number(size)))
    else if (what === 'endless') stream(response.writeHead(200), 'x'.repeat(1024), 1)
    else if (what === 'slow') stream(response.writeHead(200), 'x', 20)
    else if (what === 'packed')
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('x'.repeat(Number(size))))
    else if (what === 'headers') response.writeHead(200, { 'X-Many': 'x'.repeat(Number(size)) }).end()
    else if (what === 'twice')
      response.writeHead(200, { 'Set-Cookie': ['a=1', 'b=2'], 'Retry-After': '5' }).end('Å')
    else
      response
        .writeHead(Number(what), { Location: `http://127.0.0.1:${String(port)}/200/redirected` })
        .end(what === '204' || what === '304' ? undefined : `answer ${what}`)
  }

  before(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { method = '', url = '', headers } = request
        requests.push({ line: `${method} ${url}`, headers, body: Buffer.concat(chunks).toString() })
        answer(url, response)
      })
    })
    server.on('connection', () => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  beforeEach(() => {
    requests = []
    connections = 0
    sent = 0
  })
  after(async () => {
    for (const each of opened) await each.close()
    server.closeAllConnections()
    server.close()
  })

  const open = (...args: Parameters<typeof openEgress>): Egress => {
    const egress = openEgress(...args)
    opened.push(egress)
    return egress
  }
  const at = (path: string, host = '127.0.0.1'): string => `http://${host}:${String(port)}${path}`
  const send = (egress: Egress, url: string, more: Partial<OutgoingRequest> = {}) =>
    egress.send(url, { method: 'GET', headers: {}, timeout: 2000, limit: 1000, ...more })
  const failure = async (sending: Promise<unknown>): Promise<EgressError | null> => {
    try {
      await sending
      return null
    } catch (error) {
      if (error instanceof EgressError) return error
      throw error
    }
  }

  it('are sent with their method, headers and body, and the response is returned completely', async () => {
    for (const method of ['POST', 'PUT', 'PATCH'] as const) {
      const { status, text } = await send(open([]), at('/201'), {
        method,
        headers: { 'Content-Type': 'application/scim+json', Authorization: 'Bearer x' },
        body: '{"a":"Å"}',
      })
      expect([status, text]).to.deep.equal([201, 'answer 201'])
      expect(requests.at(-1)).to.deep.include({ line: `${method} /201`, body: '{"a":"Å"}' })
      expect(requests.at(-1)?.headers).to.include({
        'content-type': 'application/scim+json',
        authorization: 'Bearer x',
      })
    }
    const { text, headers } = await send(open([]), at('/twice'))
    expect(text).to.equal('Å')
    expect(headers).to.include({ 'set-cookie': 'a=1, b=2', 'retry-after': '5' })
    expect((await send(open([]), at('/204'))).text).to.equal('')
  })

  it('read a response up to the limit, and no byte further, whatever its declared length', async () => {
    for (const how of ['bytes', 'said']) {
      expect((await send(open([]), at(`/${how}/1000`))).text).to.have.length(1000)
      const longer = await failure(send(open([]), at(`/${how}/1001`)))
      expect(longer?.failure).to.equal('connection')
      expect(longer?.message).to.equal('the response is longer than 1000 bytes')
    }
    const endless = await failure(send(open([]), at('/endless'), { limit: 10_000 }))
    expect(endless?.message).to.match(/longer than 10000 bytes/)
    expect(sent).to.be.below(5_000_000)
    // Compressed responses are not decompressed, so a small response cannot become a large one.
    expect((await send(open([]), at('/packed/100000'), { limit: 2000 })).text.length).to.be.below(2000)
    expect((await failure(send(open([]), at('/headers/1000000'))))?.failure).to.equal('connection')
  })

  it('have one timeout for the start and the end of the response', async () => {
    for (const path of ['/hang', '/slow']) {
      const began = performance.now()
      expect((await failure(send(open([]), at(path), { timeout: 300 })))?.failure, path).to.equal('timeout')
      expect(performance.now() - began).to.be.within(290, 1500)
    }
    const never = open([], () => undefined)
    const began = performance.now()
    const url = at('/200', 'never.example')
    expect((await failure(send(never, url, { timeout: 300 })))?.failure).to.equal('timeout')
    const posting = never.post(url, { headers: {}, body: '', timeout: 300 })
    expect((await failure(posting))?.failure).to.equal('timeout')
    expect(performance.now() - began).to.be.within(580, 3000)
  })

  it('follow no redirect, and return the redirect itself', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const answered = await send(open([]), at(`/${String(status)}`), { method: 'POST', body: '{}' })
      expect(answered.status).to.equal(status)
      expect(answered.headers['location']).to.match(/redirected$/)
    }
    expect(requests.map(({ line }) => line).join()).not.to.include('redirected')
  })

  it('never reach a denied address by name, by number or by name resolution', async () => {
    const egress = open(['127.0.0.0/8', '::1/128'])
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
      'a.localhost',
    ])
      expect((await failure(send(egress, at('/200', host))))?.failure, host).to.equal('refused')
    for (const host of ['169.254.169.254', '[fe80::1]', '0.0.0.0', '[64:ff9b::a9fe:a9fe]'])
      expect((await failure(send(open([]), `http://${host}/`)))?.failure, host).to.equal('refused')
    const byName = open(['10.0.0.0/8'], (_, done) => {
      done(null, [{ address: '10.0.0.1', family: 4 }])
    })
    expect((await failure(send(byName, at('/200', 'inside.example'))))?.failure).to.equal('refused')
    expect(connections).to.equal(0)
  })

  it('connect to exactly the address that was checked, even if the name resolves to another one later', async () => {
    let looked = 0
    const egress = open(['10.0.0.0/8'], (_, done) => {
      looked++
      done(null, [{ address: looked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }])
    })
    const url = at('/200', 'rebinding.example')
    expect((await send(egress, url)).status).to.equal(200)
    expect(looked).to.equal(1)
    expect(requests[0]?.headers.host).to.equal(`rebinding.example:${String(port)}`)
    // The connection may be used again; a new one is checked again, and rejected.
    server.closeAllConnections()
    expect((await failure(send(egress, url, { timeout: 1000 })))?.failure).to.be.oneOf([
      'refused',
      'connection',
    ])
    expect((await failure(send(egress, url)))?.failure).to.equal('refused')
  })

  it('ignore proxy settings of the environment', async () => {
    const before = process.env['http_proxy']
    process.env['http_proxy'] = at('/proxy')
    try {
      expect((await send(open([]), at('/200'))).status).to.equal(200)
      expect(requests.map(({ line }) => line)).to.deep.equal(['GET /200'])
    } finally {
      if (before === undefined) delete process.env['http_proxy']
      else process.env['http_proxy'] = before
    }
  })

  it('report the cause of a failure', async () => {
    expect((await failure(send(open([]), at('/cut'))))?.failure).to.equal('connection')
    expect((await failure(send(open([]), `https://127.0.0.1:${String(port)}/`)))?.failure).to.equal('tls')
    const nowhere = open([], (_, done) => {
      done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
    })
    expect((await failure(send(nowhere, at('/', 'gone.example'))))?.failure).to.equal('dns')
  })
})
