/** A DNS server on loopback that knows TXT records (RFC 1035 §4). */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

const NAME_ERROR = 3
const SERVER_FAILURE = 2
const TXT = 16

export interface DnsServer {
  /** For SVC_DNS_SERVERS */
  readonly address: string
  /** TXT records by name: each is a list of strings */
  readonly records: Map<string, readonly (readonly string[])[]>
  /** From now on every question is answered with SERVFAIL. */
  failing: boolean
  /** Questions for these names are answered with SERVFAIL. */
  readonly failingNames: Set<string>
  readonly close: () => Promise<void>
}

const nameIn = (question: Buffer): { readonly name: string; readonly end: number } => {
  const labels: string[] = []
  let at = 12
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.subarray(at + 1, at + 1 + length).toString('latin1'))
    at += 1 + length
  }
  // The type and class follow the root label.
  return { name: labels.join('.').toLowerCase(), end: at + 5 }
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

const answerOf = (strings: readonly string[]): Buffer => {
  const data = Buffer.concat(
    strings.map((text) => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)])),
  )
  // A pointer to the name of the question, type, class, time to live, length, data
  return Buffer.concat([uint16(0xc00c), uint16(TXT), uint16(1), Buffer.alloc(4), uint16(data.length), data])
}

let shared: Promise<DnsServer> | undefined

/** The server that services of tests ask unless a test brings its own: it knows no name until a test adds one. */
export const sharedDnsServer = (): Promise<DnsServer> => (shared ??= dnsServer())

export const dnsServer = async (): Promise<DnsServer> => {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  // A test that forgets to close it does not keep the process alive.
  socket.unref()
  const server: DnsServer = {
    address: `127.0.0.1:${String(socket.address().port)}`,
    records: new Map(),
    failing: false,
    failingNames: new Set(),
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
  socket.on('message', (question, { port, address }) => {
    const { name, end } = nameIn(question)
    const found = server.records.get(name)
    const isFailing = server.failing || server.failingNames.has(name)
    const code = isFailing ? SERVER_FAILURE : found === undefined ? NAME_ERROR : 0
    const answers = code === 0 ? (found ?? []).map(answerOf) : []
    const header = Buffer.concat([
      question.subarray(0, 2),
      Buffer.from([0x81, 0x80 | code]),
      uint16(1),
      uint16(answers.length),
      Buffer.alloc(4),
    ])
    socket.send(Buffer.concat([header, question.subarray(12, end), ...answers]), port, address)
  })
  return server
}
