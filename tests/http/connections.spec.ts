import { expect } from 'chai'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { limitConnections, refusesHeaders, serverOptions } from '../../adapters/inbound/http/connections.ts'
import { testPlace, testService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

/** Opens connections from one address of this machine and sends nothing. */
const idle = (port: number, count: number, from = '127.0.0.1'): Promise<Socket[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      return socket.resume()
    }),
  )

const open = (sockets: readonly Socket[]): number => sockets.filter(({ closed }) => !closed).length

/** Returns the status line of the response to a request on a separate connection; empty if it was closed. */
const ask = async (port: number, from = '127.0.0.1', headers = ''): Promise<string> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  let said = ''
  socket.on('error', () => undefined).on('data', (chunk) => (said += chunk.toString()))
  socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`)
  await new Promise((resolve) => socket.once('close', resolve))
  return said.split('\r\n', 1)[0] ?? ''
}

const limited = async (max: number, isTrusted: (address: string) => boolean = () => false) => {
  const server: Server = createServer(serverOptions, (request, response) => {
    if (!refusesHeaders(request, response)) response.end('ok')
  })
  limitConnections(server, { max, isTrusted, behindProxy: false })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

describe('connections', function () {
  this.timeout(60_000)

  it('of one network are limited to an eighth once half of all are in use: other clients get responses', async () => {
    const { server, port } = await limited(80)
    const crowd = await idle(port, 39)
    const strangers = await idle(port, 1, '127.0.0.2')
    expect(await ask(port)).to.equal('')
    expect(await ask(port, '127.0.0.2')).to.equal('HTTP/1.1 200 OK')
    expect(await ask(port, '127.0.0.3')).to.equal('HTTP/1.1 200 OK')
    for (const socket of crowd) socket.destroy()
    await until(async () => (await ask(port)) === 'HTTP/1.1 200 OK')
    for (const socket of strangers) socket.destroy()
    server.close()
  })

  it('of a trusted proxy are limited only by the total', async () => {
    const { server, port } = await limited(80, (address) => address === '127.0.0.1')
    const crowd = await idle(port, 70)
    expect(await ask(port)).to.equal('HTTP/1.1 200 OK')
    crowd.push(...(await idle(port, 10)))
    expect(await ask(port)).to.equal('')
    for (const socket of crowd) socket.destroy()
    await until(async () => (await ask(port)) === 'HTTP/1.1 200 OK')
    server.close()
  })

  it('with more than a hundred headers get 431', async () => {
    const { server, port } = await limited(80)
    expect(await ask(port, '127.0.0.1', 'A: 1\r\n'.repeat(98))).to.equal('HTTP/1.1 200 OK')
    expect(await ask(port, '127.0.0.1', 'A: 1\r\n'.repeat(99))).to.match(/^HTTP\/1\.1 431 /)
    expect(await ask(port, '127.0.0.1', `A: ${'1'.repeat(17_000)}\r\n`)).to.match(/^HTTP\/1\.1 431 /)
    server.close()
  })

  it('that send nothing, or never finish their headers, are closed, and the service keeps responding', async () => {
    const place = await testPlace({ maxConnections: 160 })
    const service = await testService(place)
    const { port } = place.config.listen
    try {
      const silent = await idle(port, 60)
      const slow = await idle(port, 15)
      for (const socket of slow) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nA: ')
      const drip = setInterval(() => {
        for (const socket of slow) socket.write('a')
      }, 500)
      const crowd = [...silent, ...slow, ...(await idle(port, 100))]
      expect(open(crowd)).to.be.at.least(80)
      // Closed immediately, or answered: no request hangs.
      expect(await ask(port)).to.be.oneOf(['', 'HTTP/1.1 200 OK'])
      expect(await ask(port, '127.0.0.9')).to.equal('HTTP/1.1 200 OK')
      await until(() => open(crowd) === 0, 20_000, 'the end of idle connections')
      clearInterval(drip)
      expect(await ask(port)).to.equal('HTTP/1.1 200 OK')
    } finally {
      await service.stop()
      await place.drop()
    }
  })
})
