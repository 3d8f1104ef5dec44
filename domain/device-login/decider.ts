import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { ApprovedDeviceLogin, DeviceLoginEvent } from './events.ts'

export interface DeviceLoginState {
  readonly status: 'pending' | 'approved' | 'denied'
}

/** Pending requests are not recorded, so that unauthenticated clients cannot grow the log. The user's decision is. */
export type DeviceLoginCommand =
  | { type: 'approve'; login: ApprovedDeviceLogin }
  | { type: 'deny'; deviceLoginId: string; applicationId: string; userId: string }

const initial: DeviceLoginState = { status: 'pending' }

const evolve = (_: DeviceLoginState, { type }: DeviceLoginEvent): DeviceLoginState => {
  switch (type) {
    case 'device_login.approved':
      return { status: 'approved' }
    case 'device_login.denied':
      return { status: 'denied' }
  }
}

const decide = (command: DeviceLoginCommand, state: DeviceLoginState): Decision<DeviceLoginEvent> => {
  // The first decision counts: a code is approved or denied once.
  if (state.status !== 'pending') return refuse('ERR_DEVICE_CODE')
  switch (command.type) {
    case 'approve':
      return accept({ type: 'device_login.approved', data: command.login })
    case 'deny': {
      const { deviceLoginId, applicationId, userId } = command
      return accept({ type: 'device_login.denied', data: { deviceLoginId, applicationId, userId } })
    }
  }
}

export const deviceLoginDecider: Decider<DeviceLoginState, DeviceLoginCommand, DeviceLoginEvent> = {
  initial,
  evolve,
  decide,
}

export const deviceLoginStream = (deviceLoginId: string): string => `device_login-${deviceLoginId}`
