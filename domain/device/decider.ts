import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { DeviceEvent, RegisteredDevice } from './events.ts'

export type DeviceStatus = 'registered' | 'trusted' | 'blocked' | 'removed'

export interface DeviceState {
  readonly status: 'none' | DeviceStatus
  readonly userId: string
  /** Null after the user was erased */
  readonly name: string | null
  readonly trustExpiresAt: Instant | null
}

export type DeviceCommand =
  | { type: 'register'; device: RegisteredDevice }
  | { type: 'rename'; deviceId: string; name: string }
  | { type: 'trust'; deviceId: string; expiresAt: Instant | null; now: Instant }
  | { type: 'untrust' | 'block' | 'unblock'; deviceId: string }
  | { type: 'remove'; deviceId: string; by: 'self' | 'administrator' }

const BLOCKED = 'This device is blocked.'

const initial: DeviceState = { status: 'none', userId: '', name: null, trustExpiresAt: null }

const evolve = (state: DeviceState, { type, data }: DeviceEvent): DeviceState => {
  switch (type) {
    case 'device.registered':
      return {
        status: 'registered',
        userId: data.userId,
        name: data.name ?? null,
        trustExpiresAt: null,
      }
    case 'device.renamed':
      return { ...state, name: data.name ?? null }
    case 'device.trusted':
      return { ...state, status: 'trusted', trustExpiresAt: data.expiresAt }
    case 'device.untrusted':
    case 'device.unblocked':
      return { ...state, status: 'registered', trustExpiresAt: null }
    case 'device.blocked':
      return { ...state, status: 'blocked', trustExpiresAt: null }
    case 'device.removed':
      return { ...state, status: 'removed', trustExpiresAt: null }
  }
}

const decide = (command: DeviceCommand, state: DeviceState): Decision<DeviceEvent> => {
  if (command.type === 'register') {
    // Two concurrent sign-ins may both find the browser unknown: both use the same id.
    if (state.status === 'removed') return refuse('ERR_CONFLICT')
    return state.status === 'none' ? accept({ type: 'device.registered', data: command.device }) : accept()
  }
  const { status, userId } = state
  if (status === 'none' || status === 'removed') return refuse('ERR_NOT_FOUND')
  const of = { deviceId: command.deviceId, userId }
  switch (command.type) {
    case 'rename':
      return command.name === state.name
        ? accept()
        : accept({ type: 'device.renamed', data: { ...of, name: command.name } })
    case 'trust': {
      const { expiresAt, now } = command
      if (expiresAt !== null && expiresAt <= now)
        return refuse('ERR_INVALID', 'expiresAt: expected a time in the future', '/expiresAt')
      if (status === 'blocked') return refuse('ERR_CONFLICT', `${BLOCKED} Unblock it first.`)
      return status === 'trusted' && expiresAt === state.trustExpiresAt
        ? accept()
        : accept({ type: 'device.trusted', data: { ...of, expiresAt } })
    }
    case 'untrust':
      return status === 'trusted' ? accept({ type: 'device.untrusted', data: of }) : accept()
    case 'block':
      return status === 'blocked' ? accept() : accept({ type: 'device.blocked', data: of })
    case 'unblock':
      return status === 'blocked' ? accept({ type: 'device.unblocked', data: of }) : accept()
    case 'remove':
      // Otherwise a user could undo the block by removing the device and signing in again.
      return status === 'blocked' && command.by === 'self'
        ? refuse('ERR_CONFLICT', `${BLOCKED} Ask an administrator.`)
        : accept({ type: 'device.removed', data: of })
  }
}

export const deviceDecider: Decider<DeviceState, DeviceCommand, DeviceEvent> = { initial, evolve, decide }

export const deviceStream = (deviceId: string): string => `device-${deviceId}`
