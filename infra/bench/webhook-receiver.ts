/** A process of its own that answers 204 to every POST and tells how many there were. */
import { createServer } from 'node:http'

let count = 0
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    count++
    response.writeHead(204).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as { port: number }).port })
})
process.on('message', () => process.send?.({ count }))
