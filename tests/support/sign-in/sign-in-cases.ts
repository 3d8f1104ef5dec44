import type { DomainEvent } from '../../../domain/catalogue.ts'
import type { DeviceEvent } from '../../../domain/device/events.ts'
import * as ada from './ada.ts'
import { at, id } from '../fixed.ts'
import type { TableCase } from './people-cases.ts'

const { userId } = ada
const deviceId = id('device')
const admin = id('user', 99)
const of = { deviceId, userId }

const attempt = (n: number, who: string | null): DomainEvent => ({
  type: 'sign_in.recorded',
  data: {
    signInId: id('signInEvent', n),
    userId: who,
    email: 'ada@example.com',
    appId: null,
    result: who === null ? 'failure' : 'success',
    method: 'passkey',
    identityProviderId: null,
    ip: '192.0.2.1',
    location: 'Germany',
    device: 'Firefox on Linux',
    deviceId,
    userAgent: 'Firefox',
    risk: 'none',
    reason: who === null ? 'unknown_user' : null,
    sessionId: null,
    amr: ['hwk'],
    decision: null,
    risks: [],
  },
})
const registered: DeviceEvent = {
  type: 'device.registered',
  data: {
    ...of,
    kind: 'browser',
    cookieHash: 'hash',
    name: 'Firefox on Linux',
    platform: 'linux',
    browser: 'Firefox',
    osVersion: null,
    userAgent: 'Firefox',
    ip: '192.0.2.1',
    location: 'Germany',
  },
}
const session = (n: number, on: string | null): DomainEvent => ({
  type: 'session.started',
  data: {
    sessionId: id('session', n),
    userId,
    tokenHash: `hash-${String(n)}`,
    methods: ['passkey'],
    methodIds: [],
    amr: ['hwk'],
    authTime: at(0),
    expiresAt: at(500),
    strength: 'phishing_resistant',
    ip: '192.0.2.1',
    userAgent: 'Firefox',
    deviceId: on,
    location: 'Germany',
    risk: 'none',
  },
})
const device = (type: 'untrusted' | 'blocked' | 'unblocked' | 'removed'): DeviceEvent => ({
  type: `device.${type}`,
  data: of,
})
const trusted: DeviceEvent = { type: 'device.trusted', data: { ...of, expiresAt: at(90) } }
const gone = { ip: null, location: null, user_agent: null }
const untrusted = { trusted_at: null, trusted_by: null, trust_expires_at: null }

/** How the rows of sign-in attempts, devices and their sessions change. */
export const signInCases: readonly TableCase[] = [
  [
    'sign_ins',
    'attempts',
    [attempt(1, userId), attempt(2, null)],
    [
      {
        id: id('signInEvent', 1),
        created_at: at(1),
        user_id: userId,
        result: 'success',
        method: 'passkey',
        reason: null,
        device_id: deviceId,
        location: 'Germany',
        correlation_id: 'test',
      },
      { user_id: null, email: 'ada@example.com', result: 'failure', reason: 'unknown_user' },
    ],
  ],
  [
    'sign_ins',
    'erasure, of that user alone',
    [attempt(1, userId), attempt(2, null), ada.erased],
    [
      { ...gone, email: null, device: null, result: 'success', user_id: userId },
      { email: 'ada@example.com', ip: '192.0.2.1', device: 'Firefox on Linux' },
    ],
  ],
  [
    'devices',
    'registration and a new name',
    [registered, { type: 'device.renamed', data: { ...of, name: 'Laptop' } }],
    [{ id: deviceId, user_id: userId, name: 'Laptop', status: 'registered', created_at: at(1), version: 2 }],
  ],
  [
    'devices',
    'trust',
    [registered, trusted],
    [{ status: 'trusted', trusted_at: at(2), trusted_by: admin, trust_expires_at: at(90) }],
  ],
  ['devices', 'trust removed', [registered, trusted, device('untrusted')], [{ ...untrusted, version: 3 }]],
  [
    'devices',
    'a block removes the trust permanently',
    [registered, trusted, device('blocked'), device('unblocked')],
    [{ status: 'registered', ...untrusted }],
  ],
  ['devices', 'a block', [registered, device('blocked')], [{ status: 'blocked', cookie_hash: 'hash' }]],
  [
    'devices',
    'nothing changes after removal',
    [registered, device('removed'), trusted],
    [{ status: 'removed', ...untrusted, version: 2 }],
  ],
  ['devices', 'deletion of the user', [registered, ada.deleted], [{ status: 'removed' }]],
  [
    'devices',
    'erasure of the user',
    [registered, ada.deleted, ada.erased],
    [{ ...gone, status: 'removed', name: null, cookie_hash: null, platform: 'linux' }],
  ],
  [
    'sessions',
    'a block of the device, and of no other',
    [session(1, deviceId), session(2, id('device', 2)), session(3, null), registered, device('blocked')],
    [{ ended_at: at(5), end_reason: 'policy' }, { ended_at: null }, { ended_at: null }],
  ],
  [
    'sessions',
    'removal of the device',
    [session(1, deviceId), device('removed'), session(2, deviceId)],
    [{ ended_at: at(2), end_reason: 'admin_revoked' }, { ended_at: null }],
  ],
]
