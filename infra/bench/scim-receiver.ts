/** A separate process that accepts users over SCIM, stores nothing, and reports the number of requests. */
import { createServer } from 'node:http'

let count = 0
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    count++
    const body = JSON.stringify({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      id: `remote-${String(count)}`,
    })
    response
      .writeHead(request.method === 'POST' ? 201 : 200, {
        'Content-Type': 'application/scim+json',
        'Content-Length': Buffer.byteLength(body),
      })
      .end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as { port: number }).port })
})
process.on('message', () => process.send?.({ count }))
process.once('disconnect', () => process.exit(0))
