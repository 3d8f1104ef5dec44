import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openGeoip, type Locate } from '../../adapters/engines/geoip/locate.ts'
import { CliError } from '../../cli/server/exit-codes.ts'
import { startService } from '../../cli/server/service.ts'
import { deviceWorld } from '../support/sign-in/device-authorization.ts'
import { mmdb } from '../support/net/mmdb.ts'
import { newJar, passkeyWorld } from '../support/sign-in/passkey-world.ts'
import {
  recordingLog,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { until } from '../support/until.ts'

const BERLIN = {
  city: { names: { en: 'Berlin', de: 'Berlin' } },
  country: { iso_code: 'DE', names: { en: 'Germany' } },
}

describe('AUD-02 locations', function () {
  this.timeout(60_000)
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-geoip-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  let files = 0
  const file = async (bytes: Buffer): Promise<string> => {
    const name = join(folder, `${String(++files)}.mmdb`)
    await writeFile(name, bytes)
    return name
  }
  const located = async (record: Parameters<typeof mmdb>[0], ip = '8.8.8.8') =>
    (await openGeoip(await file(mmdb(record)))).locate(ip)

  describe('from the file that comes with the program', () => {
    let locate: Locate
    before(async () => {
      locate = (await openGeoip(undefined)).locate
    })

    it('AUD-02 are countries by their English names', () => {
      expect(locate('193.99.144.80')).to.equal('Germany')
      expect(locate('8.8.8.8')).to.equal('United States')
      expect(locate('2001:4860:4860::8888')).to.equal('United States')
      expect(locate('::ffff:193.99.144.80')).to.equal('Germany')
    })

    for (const ip of [
      ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.1.1', '100.64.0.1', '0.0.0.0'],
      ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '255.255.255.255', '::ffff:10.0.0.1'],
      ...[
        '::',
        '::1',
        'fe80::1%eth0',
        'fd00::1',
        'ff02::1',
        '2001:db8::1',
        '',
        'nonsense',
        '8.8.8',
        '8.8.8.8.8',
      ],
    ])
      it(`AUD-02 ${JSON.stringify(ip)} has no location`, () => {
        expect(locate(ip)).to.equal(null)
      })
  })

  it('AUD-02 a database of cities gives the city, in any of the usual formats', async () => {
    expect(await located(BERLIN)).to.equal('Berlin, DE')
    expect(await located({ city: 'Berlin', country_code: 'DE' })).to.equal('Berlin, DE')
    expect(await located({ city: '', country_code: 'de' })).to.equal('Germany')
    expect(await located({ country: { iso_code: 'DE' } })).to.equal('Germany')
    expect(await located({ country: { names: { en: 'Atlantis' } } })).to.equal('Atlantis')
    expect(await located({ country_code: 'ZZ' })).to.equal(null)
    expect(await located({})).to.equal(null)
    expect(await located(BERLIN, '10.0.0.1')).to.equal(null)
    expect(await located(BERLIN, '2a02:2e0::1')).to.equal(null)
  })

  it('AUD-02 a file that is invalid, incomplete or unreadable is reported by name', async () => {
    const own = createRequire(import.meta.url).resolve(
      '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb',
    )
    const whole = await readFile(own)
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('not a database'),
      whole.subarray(0, 1_000_000),
      whole.subarray(-1000),
    ]) {
      const name = await file(bytes)
      const message = await openGeoip(name).then(
        () => 'opened',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      expect(message).to.equal(`SVC_GEOIP_DATABASE: ${name} is not a MaxMind DB file (.mmdb)`)
    }
    const place = await testPlace({ geoipDatabase: join(folder, 'nowhere.mmdb') })
    try {
      const error = await startService(place.config, recordingLog()).catch((failure: unknown) => failure)
      expect(error).to.be.instanceOf(CliError)
      expect((error as CliError).message).to.match(/^SVC_GEOIP_DATABASE: .*nowhere\.mmdb cannot be read/)
    } finally {
      await place.drop()
    }
  })

  it('SGN-07 autonomous systems come from a file of their own, countries still from the other', async () => {
    const asn = await file(mmdb({ autonomous_system_number: 64_496 }))
    const ownCountries = await openGeoip(undefined, asn)
    expect(ownCountries.whereabouts('193.99.144.80')).to.deep.equal({ country: 'DE', asn: 64_496 })
    expect(ownCountries.locate('193.99.144.80')).to.equal('Germany')
    expect(ownCountries.whereabouts('10.0.0.1')).to.deep.equal({ country: null, asn: null })
    const both = await openGeoip(await file(mmdb({ ...BERLIN, asn: 1 })), asn)
    expect(both.whereabouts('8.8.8.8')).to.deep.equal({ country: 'DE', asn: 64_496 })
    const message = await openGeoip(undefined, '/nowhere.mmdb').catch((error: unknown) => String(error))
    expect(message).to.match(/SVC_ASN_DATABASE: \/nowhere\.mmdb cannot be read/)
  })

  describe('in the service', () => {
    let place: TestPlace
    let service: TestService
    before(async () => {
      place = await testPlace({
        geoipDatabase: await file(mmdb(BERLIN)),
        trustedProxies: ['127.0.0.0/8', '::1'],
      })
      service = await testService(place)
    })
    after(async () => {
      await service.stop()
      await place.drop()
    })
    const from = { 'X-Forwarded-For': '193.99.144.80' }

    it('AUD-02 appear on attempts, sessions, devices and sign-ins at terminals', async () => {
      const passkeys = passkeyWorld(service)
      const jar = newJar(undefined, from)
      const ada = await passkeys.enrolled(jar)
      const as = await passkeys.signIn(ada, jar)
      const get = async (path: string) => (await service.api('GET', path, { as, headers: from })).body
      await until(async () => (await get('/me/sign-ins')).length === 2)
      expect((await get('/me/sign-ins'))[0]).to.include({ ip: '193.99.144.80', location: 'Berlin, DE' })
      expect((await get('/me/sessions'))[0]).to.include({ ip: '193.99.144.80', location: 'Berlin, DE' })
      expect((await get('/me/devices'))[0]).to.include({ lastIp: '193.99.144.80', location: 'Berlin, DE' })
      const { body } = await deviceWorld(service).begin({}, from)
      expect(await get(`/device/${String(body.user_code)}`)).to.include({
        ip: '193.99.144.80',
        location: 'Berlin, DE',
      })
    })

    it('AUD-02 of a device are updated with its use', async () => {
      const passkeys = passkeyWorld(service)
      const jar = newJar(undefined, from)
      const as = await passkeys.signIn(await passkeys.enrolled(jar), jar)
      const seen = async () =>
        (await service.api('GET', '/me/devices', { as, headers: { 'X-Forwarded-For': '10.0.0.1' } })).body[0]
      await until(async () => (await seen()).lastIp === '10.0.0.1')
      expect(await seen()).to.include({ lastIp: '10.0.0.1', location: null })
    })
  })
})
