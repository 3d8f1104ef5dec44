/** Sends bytes to a port as they are, and reads the response. */
import { connect } from 'node:net'
import type { Hostile } from './requests.ts'

export interface Outcome {
  /** Status of the first final response; null if the connection was closed without one */
  readonly status: number | null
  readonly head: string
  /** The beginning of the body */
  readonly body: string
}

/** Milliseconds for a response to a complete request. */
const ANSWER_MS = 30_000

const outcomeOf = (received: string): Outcome => {
  const final = received.replace(/^(?:HTTP\/1\.1 1\d\d [^\r]*\r\n(?:[^\r]+\r\n)*\r\n)+/, '')
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(final)?.[1]
  const end = final.indexOf('\r\n\r\n')
  return {
    status: status === undefined ? null : Number(status),
    head: end === -1 ? final : final.slice(0, end),
    body: end === -1 ? '' : final.slice(end + 4, end + 2000),
  }
}

/**
 * @param leaveOpen keeps connections whose request stalls, for the sender to close
 * @throws Error if no response arrives in time
 */
export const sendHostile = (
  port: number,
  { bytes, end }: Hostile,
  leaveOpen: (close: () => void) => void,
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let received = ''
    let timer: NodeJS.Timeout | undefined
    const done = (): void => {
      clearTimeout(timer)
      resolve(outcomeOf(received))
    }
    socket.on('data', (chunk) => {
      if (received.length < 100_000) received += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.once('close', done)
    socket.once('connect', () => {
      socket.write(bytes(), () => {
        if (end === 'cut') socket.destroy()
      })
      if (end === 'stalled') {
        leaveOpen(() => socket.destroy())
        done()
        return
      }
      timer = setTimeout(() => {
        socket.destroy()
        reject(new Error(`no response within ${String(ANSWER_MS)} ms`))
      }, ANSWER_MS)
    })
  })
