import { deviceDecider, deviceStream, type DeviceCommand } from '../../../domain/device/decider.ts'
import type { RegisteredDevice } from '../../../domain/device/events.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/** Changes of devices. All except `register` throw DomainError ERR_NOT_FOUND for a removed device. */
export const deviceCommands = ({ handle, clock }: Pick<Services, 'handle' | 'clock'>) => {
  const send = (command: Exclude<DeviceCommand, { type: 'register' }>, actor: Actor) =>
    handle(deviceDecider, deviceStream(command.deviceId), command, actor)

  return {
    /** Does nothing for a device that is already registered. */
    register: (device: RegisteredDevice, actor: Actor) =>
      handle(deviceDecider, deviceStream(device.deviceId), { type: 'register', device }, actor, {
        presumed: { state: deviceDecider.initial, revision: -1 },
      }),

    rename: (deviceId: string, name: string, actor: Actor) => send({ type: 'rename', deviceId, name }, actor),

    /**
     * @param expiresAt null for no expiry
     * @throws DomainError ERR_CONFLICT for a blocked device, ERR_INVALID for a time in the past
     */
    trust: (deviceId: string, expiresAt: Instant | null, actor: Actor) =>
      send({ type: 'trust', deviceId, expiresAt, now: clock.now() }, actor),

    untrust: (deviceId: string, actor: Actor) => send({ type: 'untrust', deviceId }, actor),

    /** When this returns, the device's sessions have ended and nobody can sign in on it. */
    block: (deviceId: string, actor: Actor) => send({ type: 'block', deviceId }, actor),

    unblock: (deviceId: string, actor: Actor) => send({ type: 'unblock', deviceId }, actor),

    /**
     * When this returns, the device's sessions have ended. The next sign-in on the device registers it again.
     * @throws DomainError ERR_CONFLICT for a blocked device, unless an administrator removes it
     */
    remove: (deviceId: string, by: 'self' | 'administrator', actor: Actor) =>
      send({ type: 'remove', deviceId, by }, actor),
  }
}
