import type pg from 'pg'
import type { ApprovedDeviceLogin } from '../../domain/device-login/events.ts'

/** A user's decision about a sign-in on another device. */
export type DeviceLoginDecision =
  | { readonly outcome: 'denied' }
  | { readonly outcome: 'approved'; readonly grant: Omit<ApprovedDeviceLogin, 'deviceLoginId'> }

/** Null while it is undecided. */
export const deviceLoginDecision = async (pool: pg.Pool, id: string): Promise<DeviceLoginDecision | null> => {
  const { rows } = await pool.query<{ outcome: string } & Omit<ApprovedDeviceLogin, 'deviceLoginId'>>(
    `select outcome, application_id as "applicationId", user_id as "userId", session_id as "sessionId",
       grant_id as "grantId", scopes, api_resource_ids as "apiResourceIds", auth_time as "authTime",
       authorized_at as "authorizedAt"
     from device_logins where id = $1`,
    [id],
  )
  const [row] = rows
  if (row === undefined) return null
  const { outcome, ...grant } = row
  return outcome === 'approved' ? { outcome, grant } : { outcome: 'denied' }
}
