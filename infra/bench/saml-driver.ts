/** A separate process that signs users in over SAML, each time with a new request. */
import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { openLane } from './lane.ts'
import { throughput } from './measure.ts'
import type { SamlDriverResult, SamlDriverTask, SamlTarget } from './saml-target.ts'

/** The request for the HTTP-Redirect binding, except its id. */
const requestTo = ({ port, entityId }: SamlTarget, cookie: string): string => {
  const id = `_${randomBytes(16).toString('hex')}`
  const xml =
    `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ` +
    `xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" ` +
    `IssueInstant="${new Date().toISOString()}" ` +
    `ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" ` +
    `Destination="http://localhost:${String(port)}/saml/sso">` +
    `<saml:Issuer>${entityId}</saml:Issuer><samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>`
  const query = `SAMLRequest=${encodeURIComponent(deflateRawSync(xml).toString('base64'))}&RelayState=bench`
  return `GET /saml/sso?${query} HTTP/1.1\r\nHost: localhost:${String(port)}\r\nCookie: ${cookie}\r\n\r\n`
}

const drive = async ({ target, atOnce, seconds }: SamlDriverTask): Promise<SamlDriverResult> => {
  const idle = await Promise.all(Array.from({ length: atOnce }, () => openLane(target.port)))
  const lanes = [...idle]
  let sent = 0
  try {
    const perSecond = await throughput(atOnce, seconds, async (n) => {
      const lane = idle.pop()
      if (lane === undefined) throw new Error('more concurrent operations than lanes')
      const cookie = target.cookies[n % target.cookies.length] ?? ''
      const { status, body } = await lane.send(requestTo(target, cookie))
      if (status !== 200 || !body.includes('name="SAMLResponse"'))
        throw new Error(`sso returned ${String(status)} ${body.slice(0, 300)}`)
      sent++
      idle.push(lane)
    })
    return { perSecond, sent }
  } finally {
    for (const lane of lanes) lane.close()
  }
}

process.once('message', (task: SamlDriverTask) => {
  void drive(task).then((result) => {
    process.send?.(result)
    process.disconnect()
  })
})
