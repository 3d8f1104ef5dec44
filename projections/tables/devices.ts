import type { Recorded } from '../../domain/catalogue.ts'
import type { DeviceEvent } from '../../domain/device/events.ts'
import { change, type Reaction, type Table } from '../table.ts'

const self = (event: { data: { deviceId: string } }) => ({ id: event.data.deviceId })
const ofUser = (event: { data: { userId: string } }) => ({ user_id: event.data.userId })

/** The common changes of every event of the device's stream. */
const stamp = (event: Recorded<DeviceEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

/** Changes the device unless it is removed, which is final. */
const update = <E extends Recorded<DeviceEvent>>(
  to: (event: NoInfer<E>) => Record<string, unknown>,
): Reaction<E> => ({
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    const row = rows.get(self(event))
    if (row !== undefined && row['status'] !== 'removed') rows.put({ ...row, ...to(event), ...stamp(event) })
  },
})

const untrusted = { trusted_at: null, trusted_by: null, trust_expires_at: null }

/** Browsers on which users have signed in. An expired trust is kept: readers compare its end. */
export const devices: Table = {
  name: 'devices',
  key: ['id'],
  on: {
    'device.registered': {
      apply: (event, rows) => {
        const { data, metadata } = event
        rows.put({
          id: data.deviceId,
          user_id: data.userId,
          kind: data.kind,
          cookie_hash: data.cookieHash ?? null,
          name: data.name ?? null,
          user_agent: data.userAgent ?? null,
          ip: data.ip ?? null,
          location: data.location ?? null,
          platform: data.platform,
          browser: data.browser,
          os_version: data.osVersion,
          status: 'registered',
          ...untrusted,
          created_at: metadata.time,
          ...stamp(event),
        })
      },
    },
    'device.renamed': update((e) => ({
      name: (e.data.name as string | undefined) ?? null,
    })),
    'device.trusted': update((e) => ({
      status: 'trusted',
      trusted_at: e.metadata.time,
      trusted_by: e.metadata.actorId,
      trust_expires_at: e.data.expiresAt,
    })),
    'device.untrusted': update(() => ({ status: 'registered', ...untrusted })),
    'device.blocked': update(() => ({ status: 'blocked', ...untrusted })),
    'device.unblocked': update(() => ({ status: 'registered' })),
    'device.removed': update(() => ({ status: 'removed', ...untrusted })),
    'user.deleted': change(ofUser, () => ({ status: 'removed', ...untrusted })),
    'user.erased': change(ofUser, () => ({
      cookie_hash: null,
      name: null,
      user_agent: null,
      ip: null,
      location: null,
    })),
  },
}
