/**
 * A separate process that responds to every request with a signed token and does nothing else: the upper limit for a
 * server that signs.
 */
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signJwt } from '../../adapters/inbound/oidc/signed-jwt.ts'
import type { Target } from './oidc-target.ts'
import { serveAsTarget } from './processes.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = { kid: 'ceiling', privateKey }
const nobody = { clientId: 'bench', clientSecret: 'bench' }

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    const iat = Math.floor(Date.now() / 1000)
    const claims = { iss: 'http://localhost', aud: nobody.clientId, sub: 'person', iat, exp: iat + 300 }
    void signJwt({ typ: 'at+jwt' }, claims, key).then((token) => {
      const body = JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 300 })
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body)
    })
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  serveAsTarget<Target>({
    port,
    web: nobody,
    service: nobody,
    redirectUri: '',
    refreshScope: '',
    cookies: [],
  })
})
