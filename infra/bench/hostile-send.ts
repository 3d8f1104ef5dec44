import { connect } from 'node:net'

/** Sends one request on a connection of its own. @returns the status, or 0 for no answer */
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
