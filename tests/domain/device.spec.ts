import { deviceDecider, deviceStream, type DeviceCommand } from '../../domain/device/decider.ts'
import { expect } from 'chai'
import { retentionOf } from '../../domain/retention.ts'
import type { DeviceEvent, RegisteredDevice } from '../../domain/device/events.ts'
import { takesAway } from '../../domain/consequences.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const data: RegisteredDevice = {
  deviceId: id('device'),
  userId: id('user'),
  kind: 'browser',
  cookieHash: 'hash',
  name: 'Firefox on Linux',
  platform: 'linux',
  browser: 'Firefox',
  osVersion: null,
  userAgent: 'Mozilla/5.0',
  ip: '192.0.2.1',
  location: null,
}
const { deviceId, userId } = data
const of = { deviceId, userId }
const registered: DeviceEvent = { type: 'device.registered', data }
const trusted = (expiresAt: string | null = null): DeviceEvent => ({
  type: 'device.trusted',
  data: { ...of, expiresAt },
})
const untrusted: DeviceEvent = { type: 'device.untrusted', data: of }
const blocked: DeviceEvent = { type: 'device.blocked', data: of }
const unblocked: DeviceEvent = { type: 'device.unblocked', data: of }
const removed: DeviceEvent = { type: 'device.removed', data: of }

const register: DeviceCommand = { type: 'register', device: data }
const rename = (name: string): DeviceCommand => ({ type: 'rename', deviceId, name })
const trust = (expiresAt: string | null = null): DeviceCommand => ({
  ...{ type: 'trust', deviceId, expiresAt },
  now: at(10),
})
const untrust: DeviceCommand = { type: 'untrust', deviceId }
const block: DeviceCommand = { type: 'block', deviceId }
const unblock: DeviceCommand = { type: 'unblock', deviceId }
const remove = (by: 'self' | 'administrator' = 'self'): DeviceCommand => ({ type: 'remove', deviceId, by })

const device = (...past: readonly DeviceEvent[]) => given(deviceDecider, ...past)

describe('A device', () => {
  it('EVT-01 has its own stream, kept permanently', () => {
    expect(deviceStream(deviceId)).to.equal(`device-${deviceId}`)
    expect(retentionOf('device')).to.equal('permanent')
  })

  it('AUD-02 is registered once, however many requests are concurrent', () => {
    device().when(register).then(registered)
    device(registered).when(register).changesNothing()
    device(registered, blocked).when(register).changesNothing()
    device(registered, removed).when(register).refuses('ERR_CONFLICT')
  })

  it('AUD-02 has the name that it was given last', () => {
    device(registered)
      .when(rename('Laptop'))
      .then({ type: 'device.renamed', data: { ...of, name: 'Laptop' } })
    device(registered).when(rename('Firefox on Linux')).changesNothing()
  })

  it('AUD-02 is trusted temporarily or permanently, until the trust is revoked', () => {
    device(registered).when(trust()).then(trusted())
    device(registered)
      .when(trust(at(20)))
      .then(trusted(at(20)))
    device(registered, trusted()).when(trust()).changesNothing()
    device(registered, trusted())
      .when(trust(at(20)))
      .then(trusted(at(20)))
    device(registered)
      .when(trust(at(10)))
      .refuses('ERR_INVALID', /time in the future/, '/expiresAt')
    device(registered, trusted()).when(untrust).then(untrusted)
    device(registered).when(untrust).changesNothing()
    device(registered, trusted(), untrusted).when(trust()).then(trusted())
  })

  it('AUD-02 is not trusted while it is blocked', () => {
    device(registered, trusted()).when(block).then(blocked)
    device(registered, blocked).when(block).changesNothing()
    device(registered, blocked)
      .when(trust())
      .refuses('ERR_CONFLICT', /blocked/)
    device(registered, blocked).when(untrust).changesNothing()
    device(registered, trusted(), blocked).when(unblock).then(unblocked)
    device(registered, trusted(), blocked, unblocked).when(untrust).changesNothing()
    device(registered).when(unblock).changesNothing()
  })

  it('AUD-02 that is blocked cannot be removed by its user, who could then sign in on it again', () => {
    device(registered, blocked)
      .when(remove('self'))
      .refuses('ERR_CONFLICT', /administrator/)
    device(registered, blocked).when(remove('administrator')).then(removed)
    device(registered).when(remove('self')).then(removed)
  })

  for (const [past, what] of [
    [[], 'never was'],
    [[registered, removed], 'was removed'],
  ] as const)
    for (const command of [rename('x'), trust(), untrust, block, unblock, remove(), remove('administrator')])
      it(`AUD-02 that ${what} rejects ${command.type}`, () => {
        device(...past)
          .when(command)
          .refuses('ERR_NOT_FOUND')
      })

  it('SGN-05 its removal is in effect before success is reported', () => {
    for (const type of ['device.untrusted', 'device.blocked', 'device.removed'] as const)
      expect(takesAway(type), type).to.equal(true)
    expect(takesAway('device.registered')).to.equal(false)
  })
})
