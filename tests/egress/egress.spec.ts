import { expect } from 'chai'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addressRule } from '../../adapters/engines/egress/addresses.ts'
import { EgressError, openEgress, type Egress } from '../../adapters/engines/egress/client.ts'

describe('addresses that the service connects to', () => {
  const allows = addressRule([])
  const never = [
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '169.254.0.1',
    '224.0.0.1',
    '239.255.255.255',
    '255.255.255.255',
    '240.0.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'ff02::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '',
    'localhost',
    'nonsense',
  ]
  for (const address of never)
    it(`never ${address === '' ? 'an empty address' : address}`, () => {
      expect(allows(address)).to.equal(false)
    })
  for (const address of [
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    '192.168.1.1',
    'fd12::1',
    '192.0.2.1',
    '2001:db8::1',
  ])
    it(`${address}, unless the operator allows it`, () => {
      expect(allows(address)).to.equal(true)
      const denied = addressRule([
        '127.0.0.0/8',
        '::1/128',
        '10.0.0.0/8',
        '192.0.0.0/8',
        'fd00::/8',
        '2001:db8::/32',
      ])
      expect(denied(address)).to.equal(false)
    })
  it('a denied network is also denied in its IPv6 forms', () => {
    const denied = addressRule(['10.0.0.0/8'])
    for (const address of ['::ffff:10.1.2.3', '64:ff9b::a01:203', '2002:a01:203::1'])
      expect(denied(address), address).to.equal(false)
    expect(denied('::ffff:11.1.2.3')).to.equal(true)
  })
})

describe('requests to addresses that users configured', () => {
  let server: Server
  let port: number
  let requests: IncomingMessage[]
  let connections: number
  const opened: Egress[] = []
  before(async () => {
    server = createServer((request, response) => {
      requests.push(request)
      request.resume()
      const [, status = '200'] = (request.url ?? '').split('/')
      if (status === 'hang') return
      if (status === 'cut') return void request.socket.destroy()
      if (status === 'endless') {
        response.writeHead(200)
        const more = setInterval(() => response.write('x'.repeat(65_536)), 5)
        response.on('close', () => {
          clearInterval(more)
        })
        return
      }
      response
        .writeHead(Number(status), { Location: `http://127.0.0.1:${String(port)}/200/redirected` })
        .end('x')
    })
    server.on('connection', () => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  beforeEach(() => {
    requests = []
    connections = 0
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
  const send = (egress: Egress, url: string, timeout = 2000) =>
    egress.post(url, { headers: { 'Content-Type': 'text/plain' }, body: 'hello', timeout })
  const failure = async (sending: Promise<unknown>): Promise<string> => {
    try {
      await sending
    } catch (error) {
      if (error instanceof EgressError) return error.failure
      throw error
    }
    return 'none'
  }
  const at = (path: string, host = '127.0.0.1'): string => `http://${host}:${String(port)}${path}`

  it('are posted, and their status is returned', async () => {
    const egress = open([])
    for (const status of [200, 204, 400, 503])
      expect(await send(egress, at(`/${String(status)}`))).to.deep.equal({ status })
    expect(requests[0]).to.include({ method: 'POST' })
  })
  it('follow no redirect', async () => {
    for (const status of [301, 302, 303, 307, 308])
      expect(await send(open([]), at(`/${String(status)}`))).to.deep.equal({ status })
    expect(requests.map(({ url }) => url).join()).not.to.include('redirected')
  })
  it('time out if there is no response or if it never ends', async () => {
    const began = Date.now()
    expect(await failure(send(open([]), at('/hang'), 200))).to.equal('timeout')
    expect(await send(open([]), at('/endless'), 1000)).to.deep.equal({ status: 200 })
    expect(Date.now() - began).to.be.below(3000)
  })
  it('report the cause of a failure', async () => {
    expect(await failure(send(open([]), at('/cut')))).to.equal('connection')
    expect(await failure(send(open([]), `https://127.0.0.1:${String(port)}/`))).to.equal('tls')
    const nowhere = open([], (_, done) => {
      done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
    })
    expect(await failure(send(nowhere, at('/', 'gone.example')))).to.equal('dns')
    expect(await failure(send(open([]), 'http://no-such-name.invalid/'))).to.equal('dns')
  })

  const metadata = [
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '0.0.0.0',
    '[::]',
    '0xa9fea9fe',
    '2852039166',
    '0',
  ]
  for (const host of metadata)
    it(`never reach http://${host}, in any notation`, async () => {
      expect(await failure(send(open([]), `http://${host}/`))).to.equal('refused')
    })
  it('never reach a network that the operator denies', async () => {
    const egress = open(['127.0.0.0/8', '::1/128'])
    for (const host of ['127.0.0.1', '127.1', '[::ffff:127.0.0.1]', 'localhost'])
      expect(await failure(send(egress, at('/200', host))), host).to.equal('refused')
    expect(connections).to.equal(0)
  })
  it('connect to exactly the address that was checked: a name is looked up once', async () => {
    let looked = 0
    const egress = open(['10.0.0.0/8'], (hostname, done) => {
      looked++
      expect(hostname).to.equal('rebinding.example')
      // The second lookup would return a denied address.
      done(null, [{ address: looked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }])
    })
    expect(await send(egress, at('/200', 'rebinding.example'))).to.deep.equal({ status: 200 })
    expect(looked).to.equal(1)
    expect(requests[0]?.headers.host).to.equal(`rebinding.example:${String(port)}`)
  })
  it('omit denied addresses of a name', async () => {
    const both = open([], (_, done) => {
      done(null, [
        { address: '169.254.169.254', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ])
    })
    expect(await send(both, at('/200', 'both.example'))).to.deep.equal({ status: 200 })
    const none = open([], (_, done) => {
      done(null, [{ address: 'fe80::1', family: 6 }])
    })
    expect(await failure(send(none, at('/200', 'none.example')))).to.equal('refused')
  })
})
