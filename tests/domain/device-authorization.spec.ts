import { expect } from 'chai'
import {
  deviceAuthorizationDecider,
  deviceAuthorizationStream,
  type DeviceAuthorizationCommand,
} from '../../domain/device-authorization/decider.ts'
import type {
  ApprovedDeviceAuthorization,
  DeviceAuthorizationEvent,
} from '../../domain/device-authorization/events.ts'
import { newUserCode, readUserCode } from '../../domain/device-authorization/user-code.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const login: ApprovedDeviceAuthorization = {
  deviceLoginId: id('deviceAuthorization'),
  applicationId: id('application'),
  userId: id('user'),
  sessionId: id('session'),
  scopes: ['openid', 'offline_access'],
  apiResourceIds: [],
  authTime: at(0),
  grantId: id('grant'),
  authorizedAt: '0042',
}
const { deviceLoginId, applicationId, userId } = login
const approved: DeviceAuthorizationEvent = { type: 'device_login.approved', data: login }
const denied: DeviceAuthorizationEvent = {
  type: 'device_login.denied',
  data: { deviceLoginId, applicationId, userId },
}
const approve: DeviceAuthorizationCommand = { type: 'approve', login }
const deny: DeviceAuthorizationCommand = { type: 'deny', deviceLoginId, applicationId, userId }

const deviceAuthorization = (...past: readonly DeviceAuthorizationEvent[]) =>
  given(deviceAuthorizationDecider, ...past)

describe('A sign-in on another device', () => {
  it('EVT-01 has its own stream, in a class with a retention period', () => {
    expect(deviceAuthorizationStream(deviceLoginId)).to.equal(`device_login-${deviceLoginId}`)
  })
  it('OIDC-09 is approved or denied', () => {
    deviceAuthorization().when(approve).then(approved)
    deviceAuthorization().when(deny).then(denied)
  })
  for (const [past, what] of [
    [approved, 'approved'],
    [denied, 'denied'],
  ] as const)
    for (const command of [approve, deny])
      it(`OIDC-09 cannot be ${command.type === 'approve' ? 'approved' : 'denied'} once it is ${what}`, () => {
        deviceAuthorization(past).when(command).refuses('ERR_DEVICE_CODE')
      })
})

describe('A user code', () => {
  const bytes = (...values: number[]) => {
    let calls = 0
    return { random: () => (calls++ === 0 ? values : Array<number>(16).fill(0)), calls: () => calls }
  }

  it('OIDC-09 is eight of twenty consonants, as XXXX-XXXX', () => {
    expect(newUserCode(bytes(0, 1, 2, 3, 4, 5, 6, 19, 9, 9, 9, 9, 9, 9, 9, 9).random)).to.equal('BCDF-GHJZ')
  })
  it('OIDC-09 has every letter equally often: bytes that would favour some are discarded', () => {
    const source = bytes(255, 250, 240, 239, 20, 19)
    expect(newUserCode(source.random)).to.equal('ZBZB-BBBB')
    expect(source.calls()).to.equal(2)
  })

  const typed: readonly (readonly [string, string | null])[] = [
    ['BCDF-GHJK', 'BCDF-GHJK'],
    ['bcdfghjk', 'BCDF-GHJK'],
    [' bcdf ghjk ', 'BCDF-GHJK'],
    ['b-c-d-f-g-h-j-k', 'BCDF-GHJK'],
    ['', null],
    ['BCDF-GHJ', null],
    ['BCDF-GHJKL', null],
    ['ABCD-EFGH', null],
    ['BCDF-GHJ1', null],
    ['BCDF_GHJK', null],
    ['ßBCDFGHJ', null],
  ]
  for (const [text, code] of typed)
    it(`OIDC-09 ${JSON.stringify(text)} is read as ${String(code)}`, () => {
      expect(readUserCode(text)).to.equal(code)
    })
})
