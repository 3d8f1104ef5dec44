/** A separate process that returns 204 for every POST and reports their number. */
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
