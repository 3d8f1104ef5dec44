import { connect } from 'node:net'

/**
 * Sends one request on a separate connection.
 * @returns the status, or 0 without a response
 */
export const sendBytes = (port: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let head = ''
    socket.on('data', (chunk) => {
      if (head.length < 20) head += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0))
    })
    socket.write(bytes)
  })
