/** Warnings for operators about an undeclared proxy. */
import { expect } from 'chai'
import { undeclaredProxies } from '../../adapters/inbound/http/undeclared-proxy.ts'
import { freePort, testPlace, testService } from '../support/service/service.ts'

const MESSAGE = 'an undeclared proxy'

describe('requests through an undeclared proxy', function () {
  this.timeout(60_000)

  const ask = (url: string, headers: Record<string, string> = {}) => fetch(`${url}/healthz`, { headers })

  it('cause one warning per peer, which names the setting, and are counted', async () => {
    const metricsPort = await freePort()
    const place = await testPlace({ metricsListen: { host: '127.0.0.1', port: metricsPort } })
    const service = await testService(place)
    try {
      const warnings = () => service.log.lines.filter((line) => line.includes(MESSAGE))
      await ask(service.publicUrl)
      expect(warnings(), 'without the headers').to.deep.equal([])
      await ask(service.publicUrl, { 'X-Forwarded-For': '192.0.2.1' })
      await ask(service.publicUrl, { 'X-Forwarded-For': '192.0.2.2' })
      await ask(service.publicUrl, { Forwarded: 'for=192.0.2.3' })
      expect(warnings()).to.have.length(1)
      expect(warnings()[0]).to.match(/^warn .*SVC_TRUSTED_PROXIES.*"peer":"(127\.0\.0\.1|::1)"/)
      const metrics = await (await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`)).text()
      expect(metrics).to.match(/^svc_undeclared_proxy_requests_total 3$/m)
    } finally {
      await service.stop()
      await place.drop()
    }
  })

  it('cause no warning if the peer is declared', async () => {
    const place = await testPlace({ trustedProxies: ['127.0.0.1/32', '::1/128'] })
    const service = await testService(place)
    try {
      await ask(service.publicUrl, { 'X-Forwarded-For': '192.0.2.1' })
      expect(service.log.lines.filter((line) => line.includes(MESSAGE))).to.deep.equal([])
    } finally {
      await service.stop()
      await place.drop()
    }
  })

  it('cannot flood the log, for any number of peers', () => {
    let warned = 0
    let counted = 0
    const note = undeclaredProxies(() => false, {
      warn: () => (warned += 1),
      count: () => (counted += 1),
    })
    for (let n = 0; n < 1000; n++) {
      const remoteAddress = `10.0.${String(n >> 8)}.${String(n & 255)}`
      note({ headers: { 'x-forwarded-for': 'x' }, socket: { remoteAddress } as never })
    }
    expect([warned, counted]).to.deep.equal([100, 1000])
  })
})
