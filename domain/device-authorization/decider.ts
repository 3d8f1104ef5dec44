import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { ApprovedDeviceAuthorization, DeviceAuthorizationEvent } from './events.ts'

export interface DeviceAuthorizationState {
  readonly status: 'pending' | 'approved' | 'denied'
}

/** Pending requests are not recorded, so that unauthenticated clients cannot grow the log. The user's decision is. */
export type DeviceAuthorizationCommand =
  | { type: 'approve'; login: ApprovedDeviceAuthorization }
  | { type: 'deny'; deviceLoginId: string; applicationId: string; userId: string }

const initial: DeviceAuthorizationState = { status: 'pending' }

const evolve = (
  _: DeviceAuthorizationState,
  { type }: DeviceAuthorizationEvent,
): DeviceAuthorizationState => {
  switch (type) {
    case 'device_login.approved':
      return { status: 'approved' }
    case 'device_login.denied':
      return { status: 'denied' }
  }
}

const decide = (
  command: DeviceAuthorizationCommand,
  state: DeviceAuthorizationState,
): Decision<DeviceAuthorizationEvent> => {
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

export const deviceAuthorizationDecider: Decider<
  DeviceAuthorizationState,
  DeviceAuthorizationCommand,
  DeviceAuthorizationEvent
> = {
  initial,
  evolve,
  decide,
}

export const deviceAuthorizationStream = (deviceLoginId: string): string => `device_login-${deviceLoginId}`
