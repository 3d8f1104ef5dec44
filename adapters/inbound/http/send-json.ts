import type { ServerResponse } from 'node:http'

export const sendJson = (response: ServerResponse, status: number, body: object): void => {
  const json = JSON.stringify(body)
  response
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(json),
    })
    .end(json)
}

export const neverStored = (response: ServerResponse, requestId: string): void => {
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('Pragma', 'no-cache')
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('X-Request-Id', requestId)
}
