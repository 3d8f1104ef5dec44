import { Type, type TProperties } from 'typebox'
import type { DevicePlatform } from '../../../domain/device/events.ts'
import type { DeviceRow } from '../../../read-models/queries/devices.ts'
import type { Services } from '../../application/services/services.ts'
import { idOf } from '../http/route.ts'
import { lastIpOf } from '../../application/services/device-use.ts'
import { line, nullable, Time, Version } from '../http/schemas.ts'

export const deviceStatuses = ['registered', 'trusted', 'blocked', 'removed'] as const

const platforms = [
  'macos',
  'windows',
  'linux',
  'ios',
  'android',
  'chromeos',
  'other',
] as const satisfies DevicePlatform[]

const device = {
  id: idOf('device'),
  userId: idOf('user'),
  userName: Type.String({ description: 'empty if it is unreadable' }),
  kind: Type.Enum(['browser', 'cli']),
  name: Type.String(),
  platform: Type.Enum([...platforms]),
  browser: nullable(Type.String()),
  osVersion: nullable(Type.String()),
  userAgent: nullable(Type.String()),
  status: Type.Enum([...deviceStatuses]),
  firstSeenAt: Time,
  lastSeenAt: Time,
  lastIp: nullable(Type.String()),
  location: nullable(Type.String({ description: 'Last known location' })),
  trustedAt: nullable(Time),
  trustedBy: nullable(idOf('user')),
  trustExpiresAt: nullable(Time),
  managed: nullable(Type.Boolean({ description: 'null if not known' })),
  createdAt: Time,
  updatedAt: Time,
  version: Version,
} satisfies TProperties

export const Device = Type.Object(device, { title: 'Device' })

export const OwnDevice = Type.Object(
  { ...device, current: Type.Boolean({ description: 'true for the device that sent the request' }) },
  { title: 'OwnDevice' },
)

export const deviceNameField = line(100, 'Work laptop')

/** A device as responses show it. */
export const toDevice = (row: DeviceRow, { locate, vault }: Pick<Services, 'locate' | 'vault'>) => {
  const { firstIp, firstLocation, sealedLastIp: _, ...rest } = row
  const lastIp = lastIpOf(vault, row)
  const location = lastIp === firstIp ? firstLocation : lastIp === null ? null : locate(lastIp)
  return { ...rest, lastIp, location, managed: null }
}
