import { connect } from 'node:net'

export interface Answer {
  readonly status: number
  readonly location: string
  readonly body: string
}

/** One persistent connection, for one request at a time. */
export interface Lane {
  readonly send: (request: string) => Promise<Answer>
  readonly close: () => void
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** Returns null while the response is incomplete. */
const answerIn = (received: Buffer): Answer | null => {
  const end = received.indexOf(END_OF_HEAD)
  if (end === -1) return null
  const head = received.toString('latin1', 0, end)
  const start = end + END_OF_HEAD.length
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  const whole =
    length !== undefined
      ? received.length >= start + Number(length)
      : !/\r\ntransfer-encoding: *chunked/i.test(head) ||
        received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
  if (!whole) return null
  return {
    status: Number(head.slice(9, 12)),
    location: /\r\nlocation: *([^\r]*)/i.exec(head)?.[1] ?? '',
    body: received.toString('utf8', start),
  }
}

/**
 * A minimal HTTP/1.1 client: on a machine with few cores, a client library would take CPU time from the measured
 * server.
 */
export const openLane = (port: number): Promise<Lane> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let waiting: { done: (answer: Answer) => void; failed: (error: Error) => void } | null = null
    let received: Buffer | null = null
    socket.on('data', (chunk) => {
      received = received === null ? chunk : Buffer.concat([received, chunk])
      const answer = answerIn(received)
      if (answer === null || waiting === null) return
      const { done } = waiting
      waiting = null
      received = null
      done(answer)
    })
    const broken = (error: Error): void => {
      waiting?.failed(error)
      reject(error)
    }
    socket.once('error', broken).once('close', () => {
      broken(new Error('the server closed the connection'))
    })
    socket.once('connect', () => {
      resolve({
        send: (request) =>
          new Promise((done, failed) => {
            waiting = { done, failed }
            socket.write(request)
          }),
        close: () => {
          socket.destroy()
        },
      })
    })
  })
