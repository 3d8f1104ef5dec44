import { expect } from 'chai'
import type { Position } from '../../../adapters/engines/event-log/event-log.ts'
import { startPlace, success, type Place } from './support.ts'

/** Resources that share one stream: their state follows from all events of these types together. */
const shared = {
  'saml_certificate.': 'saml-certificates',
  'signing_key.': 'signing-keys',
  'ssh_authority_key.': 'ssh-authority-keys',
  'method_settings.': 'method_settings',
  'organization.': 'organization',
}

describe('resources with shared decisions', function () {
  this.timeout(60_000)
  let place: Place
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  it('SAML-08 OIDC-17 share one stream, with the name in stored logs', async () => {
    for (let n = 0; n < 2; n++) {
      success(await place.send('POST', '/saml/certificate/rotate'))
      success(await place.send('POST', '/signing-keys/rotate'))
      success(await place.send('POST', '/ssh/ca/rotate'))
      for (const type of ['recovery_codes', 'magic_link'])
        success(await place.send('PATCH', `/methods/${type}`, { enabled: n === 1 }))
      success(await place.send('PATCH', '/settings', { organizationName: `Name ${String(n)}` }))
    }
    const events = await place.service.core.eventLog.readAll('' as Position, 1000)
    for (const [family, stream] of Object.entries(shared)) {
      const ofFamily = events.filter(({ type }) => type.startsWith(family))
      expect(ofFamily.length, family).to.be.greaterThan(1)
      expect([...new Set(ofFamily.map((event) => event.stream))], family).to.deep.equal([stream])
    }
  })
})
