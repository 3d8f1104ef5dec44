import type pg from 'pg'
import type { ApprovedDeviceAuthorization } from '../../domain/device-authorization/events.ts'

/** A user's decision about a sign-in on another device. */
export type DeviceAuthorizationDecision =
  | { readonly outcome: 'denied' }
  | { readonly outcome: 'approved'; readonly grant: Omit<ApprovedDeviceAuthorization, 'deviceLoginId'> }

/** Returns the decision; null while there is none. */
export const deviceAuthorizationDecision = async (
  pool: pg.Pool,
  id: string,
): Promise<DeviceAuthorizationDecision | null> => {
  const { rows } = await pool.query<{ outcome: string } & Omit<ApprovedDeviceAuthorization, 'deviceLoginId'>>(
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
