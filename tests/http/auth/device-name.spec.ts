import { expect } from 'chai'
import { deviceName } from '../../../adapters/kernel/device-name.ts'

describe('device names', () => {
  const names: Record<string, string> = {
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:141.0) Gecko/20100101 Firefox/141.0': 'Firefox on Windows',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0':
      'Edge on macOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1':
      'Safari on iPhone',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36':
      'Chrome on Android',
    'curl/8.5.0': 'Unknown device',
  }
  for (const [userAgent, name] of Object.entries(names))
    it(`reads ${name}`, () => {
      expect(deviceName(userAgent)).to.equal(name)
    })

  it('has a name for a missing header', () => {
    expect(deviceName(null)).to.equal('Unknown device')
  })
})
