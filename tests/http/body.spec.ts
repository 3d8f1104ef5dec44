import { expect } from 'chai'
import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BodyProblem, readBody } from '../../adapters/http/body.ts'

const LIMIT = 1024

/** Longer than a test may take: whoever waits for it fails. */
const TIMEOUT_MS = 600_000

describe('API-03 the body of a request whose sender went away', () => {
  /** What came of a body that is read at a moment of the caller's choice, its sender being gone after `sent`. */
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

  it('ends the reading at once', async () => {
    const result = await gone('half of it', (request) => readBody(request, LIMIT, TIMEOUT_MS))
    expect(reasonOf(result)).to.equal('aborted')
  })

  it('ends the reading at once when it begins only then', async () => {
    const result = await gone('half of it', async (request) => {
      request.on('error', () => undefined)
      await once(request, 'close').catch(() => undefined)
      return readBody(request, LIMIT, TIMEOUT_MS)
    })
    expect(reasonOf(result)).to.equal('aborted')
  })

  it('ends the reading at once when all of it came and nobody had read it', async () => {
    const result = await gone('all twenty characters'.slice(0, 20), async (request) => {
      request.on('error', () => undefined)
      while (!request.destroyed) await new Promise((resolve) => setImmediate(resolve))
      return readBody(request, LIMIT, TIMEOUT_MS)
    })
    expect(reasonOf(result)).to.equal('aborted')
  })

  it('is not drained when it is of a coding that nobody knows', async () => {
    const result = await gone('half of it', async (request) => {
      request.on('error', () => undefined)
      request.headers['content-encoding'] = 'rot13'
      while (!request.destroyed) await new Promise((resolve) => setImmediate(resolve))
      return readBody(request, LIMIT, TIMEOUT_MS)
    })
    expect(reasonOf(result)).to.be.oneOf(['aborted', 'encoding'])
  })
})
