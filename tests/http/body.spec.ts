import { expect } from 'chai'
import { EventEmitter, once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync, gzipSync } from 'node:zlib'
import { BodyProblem, readBody } from '../../adapters/inbound/http/body.ts'
import { prototypeNames } from '../support/hostile/hostile-text.ts'

const LIMIT = 1024

/** Longer than the test timeout: a test that waits for it fails. */
const TIMEOUT_MS = 600_000

describe('API-03 the body of a request whose sender disconnected', () => {
  /** Returns the outcome of reading a body after its sender has disconnected after `sent`. */
  const gone = async (
    sent: string,
    read: (request: IncomingMessage) => Promise<Buffer>,
  ): Promise<unknown> => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = ask({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': '20' } })
    client.on('error', () => undefined)
    client.write(sent)
    const [request] = (await once(server, 'request')) as [IncomingMessage]
    const outcome = read(request).catch((error: unknown) => error)
    client.destroy()
    const result = await outcome
    server.close()
    return result
  }
  const reasonOf = (error: unknown): unknown => (error instanceof BodyProblem ? error.reason : error)

  it('ends reading immediately', async () => {
    const result = await gone('half of it', (request) => readBody(request, LIMIT, TIMEOUT_MS))
    expect(reasonOf(result)).to.equal('aborted')
  })

  it('ends reading immediately if it starts only afterwards', async () => {
    const result = await gone('half of it', async (request) => {
      request.on('error', () => undefined)
      await once(request, 'close').catch(() => undefined)
      return readBody(request, LIMIT, TIMEOUT_MS)
    })
    expect(reasonOf(result)).to.equal('aborted')
  })

  it('ends reading immediately if all of it has arrived unread', async () => {
    const result = await gone('all twenty characters'.slice(0, 20), async (request) => {
      request.on('error', () => undefined)
      while (!request.destroyed) await new Promise((resolve) => setImmediate(resolve))
      return readBody(request, LIMIT, TIMEOUT_MS)
    })
    expect(reasonOf(result)).to.equal('aborted')
  })

  it('is not drained if its coding is unknown', async () => {
    const result = await gone('half of it', async (request) => {
      request.on('error', () => undefined)
      request.headers['content-encoding'] = 'rot13'
      while (!request.destroyed) await new Promise((resolve) => setImmediate(resolve))
      return readBody(request, LIMIT, TIMEOUT_MS)
    })
    expect(reasonOf(result)).to.be.oneOf(['aborted', 'encoding'])
  })
})

/** Returns the outcome of a POST with this body and these headers, read within `limit` bytes. */
const posted = async (
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  limit = LIMIT,
): Promise<unknown> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = ask({ port, host: '127.0.0.1', method: 'POST', headers })
  client.on('error', () => undefined)
  client.end(body)
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  const result = await readBody(request, limit, TIMEOUT_MS).catch((error: unknown) => error)
  response.shouldKeepAlive = false
  response.end()
  client.destroy()
  server.close()
  return result
}

describe('API-03 the content coding of a body', () => {
  for (const name of prototypeNames)
    it(`${name} is an unknown coding`, async () => {
      const result = await posted({ 'Content-Encoding': name }, Buffer.from('{}'))
      expect(result).to.be.instanceOf(BodyProblem).with.property('reason', 'encoding')
    })

  it('fails only the reading, not the process, if a listener of the request throws', async () => {
    const request = Object.assign(new EventEmitter(), { headers: {}, destroyed: false })
    const broken = Object.defineProperty(request, 'readableEnded', {
      get: () => {
        throw new Error('no state')
      },
    }) as unknown as IncomingMessage
    const result = readBody(broken, LIMIT, TIMEOUT_MS).catch((error: unknown) => error)
    broken.emit('close')
    expect(await result)
      .to.be.instanceOf(Error)
      .with.property('message', 'no state')
  })

  it('is decoded up to the limit and no further', async () => {
    const whole = Buffer.alloc(LIMIT, 'a')
    expect(await posted({ 'Content-Encoding': 'gzip' }, gzipSync(whole))).to.deep.equal(whole)
    const more = gzipSync(Buffer.alloc(LIMIT + 1, 'a'))
    expect(await posted({ 'Content-Encoding': 'gzip' }, more))
      .to.be.instanceOf(BodyProblem)
      .with.property('reason', 'too_large')
  })

  it('must not exceed the limit, even if it decodes to nothing', async () => {
    // Empty blocks of a deflate stream: any number of bytes that decode to none.
    const nothing = Buffer.concat([
      deflateSync(Buffer.alloc(0)).subarray(0, 2),
      ...Array.from({ length: LIMIT }, () => Buffer.from([0, 0, 0, 0xff, 0xff])),
    ])
    expect(await posted({ 'Content-Encoding': 'deflate' }, nothing))
      .to.be.instanceOf(BodyProblem)
      .with.property('reason', 'too_large')
  })

  it('may make a body of random bytes longer than the limit in transit', async () => {
    const random = randomBytes(LIMIT)
    expect(await posted({ 'Content-Encoding': 'gzip' }, gzipSync(random))).to.deep.equal(random)
  })
})
