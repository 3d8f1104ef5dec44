/**
 * When and from where devices were last seen: a side table, because the last use is not an event and changes with
 * every request.
 */
import type pg from 'pg'
import { boundedCache } from '../../kernel/bounded-cache.ts'
import type { DeviceRow } from '../../../read-models/queries/devices.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { NoteUse } from './last-use.ts'
import { SealLost } from '../../engines/vault/aead.ts'
import type { ServiceSeals } from '../../engines/vault/service-seals.ts'

const MINUTE_MS = 60_000

interface Deps {
  readonly pool: pg.Pool
  readonly clock: Clock
  readonly vault: Pick<ServiceSeals, 'seal' | 'digest'>
}

const PURPOSE = 'device-address'

/** Records the use of a device, at most once a minute from one address. */
export const deviceUse =
  ({ pool, clock, vault }: Deps) =>
  async (
    { deviceId, userId }: { readonly deviceId: string; readonly userId: string },
    ip: string,
  ): Promise<void> => {
    await pool.query(
      `insert into work.device_use as u (device_id, user_id, last_seen_at, last_ip, ip_hash) values ($1, $2, $3, $4, $5)
       on conflict (device_id) do update
         set last_seen_at = excluded.last_seen_at, last_ip = excluded.last_ip, ip_hash = excluded.ip_hash
       where u.last_seen_at < excluded.last_seen_at - interval '1 minute'
          or u.ip_hash is distinct from excluded.ip_hash`,
      [deviceId, userId, clock.now(), vault.seal(PURPOSE, ip, deviceId), vault.digest(PURPOSE, ip)],
    )
  }

/** The session that a request used. */
export interface SeenSession {
  readonly sessionId: string
  readonly userId: string
  readonly deviceId: string | null
}

/** Called for each use of a session, with its address. */
export type NoteSeen = (session: SeenSession, ip: string) => void

/**
 * Records the use of a session and its device, without waiting; losing one does no harm.
 * @param failed called with the reason if it could not be stored
 */
export const sessionSeen = (deps: Deps, session: NoteUse, failed: (error: unknown) => void): NoteSeen => {
  const note = deviceUse(deps)
  const noted = boundedCache<string>(50_000, { ttl: MINUTE_MS })
  return ({ sessionId, userId, deviceId }, ip) => {
    session(sessionId)
    if (deviceId === null || noted.get(deviceId) === ip) return
    noted.set(deviceId, ip)
    note({ deviceId, userId }, ip).catch(failed)
  }
}

/** Deletes these rows when a user is erased. */
export const forgetDeviceUse = async (pool: pg.Pool, userIds: readonly string[]): Promise<void> => {
  await pool.query('delete from work.device_use where user_id = any($1)', [userIds])
}

/** The last address of a device; the address of its registration if it was not used since. */
export const lastIpOf = (
  vault: Pick<ServiceSeals, 'open'>,
  { id, firstIp, sealedLastIp }: Pick<DeviceRow, 'id' | 'firstIp' | 'sealedLastIp'>,
): string | null => {
  if (sealedLastIp === null) return firstIp
  try {
    return vault.open(PURPOSE, sealedLastIp, id).toString()
  } catch (error) {
    if (error instanceof SealLost) return firstIp
    throw error
  }
}
