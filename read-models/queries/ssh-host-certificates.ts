import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, readListPage, type ListPage, type Sorted } from './page.ts'
import { isAuthorityRevoked, type SshCertificateStatus } from './ssh.ts'

export interface SshHostCertificateRow {
  /** The serial number */
  readonly id: string
  readonly serviceAccountId: Id<'user'>
  readonly serviceAccountName: string
  readonly keyId: string
  readonly keyType: string
  readonly keyFingerprint: string
  readonly authorityFingerprint: string
  readonly hostNames: readonly string[]
  readonly validAfter: Instant
  readonly validBefore: Instant
  readonly createdAt: Instant
  readonly revokedAt: Instant | null
  readonly revokedBy: string | null
  readonly revokeReason: string | null
  /** Whether the key of the authority was revoked */
  readonly isAuthorityRevoked: boolean
}

const columns = `
  c.id, c.service_account_id as "serviceAccountId",
  coalesce((select a.name from service_accounts a where a.id = c.service_account_id), '') as "serviceAccountName",
  c.key_id as "keyId", c.key_type as "keyType", c.key_fingerprint as "keyFingerprint",
  c.authority_fingerprint as "authorityFingerprint", c.host_names as "hostNames", c.valid_after as "validAfter",
  c.valid_before as "validBefore", c.created_at as "createdAt", c.revoked_at as "revokedAt",
  c.revoked_by as "revokedBy", c.revoke_reason as "revokeReason", ${isAuthorityRevoked} as "isAuthorityRevoked"`

export const findSshHostCertificate = async (
  pool: pg.Pool,
  serial: string,
): Promise<SshHostCertificateRow | null> => {
  const { rows } = await pool.query<SshHostCertificateRow>(
    `select ${columns} from ssh_host_certificates c where c.id = $1`,
    [serial],
  )
  return rows[0] ?? null
}

export interface SshHostCertificateFilters {
  readonly serviceAccountId?: string | undefined
  readonly hostName?: string | undefined
  /** A certificate that was revoked before it expired stays `revoked`. */
  readonly status?: SshCertificateStatus | undefined
}

/** Returns certificates of hosts, newest first. */
export const listSshHostCertificates = (
  pool: pg.Pool,
  { serviceAccountId, hostName, status }: SshHostCertificateFilters,
  now: Instant,
  page: Omit<ListPage, 'sort'>,
): Promise<readonly (SshHostCertificateRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const isRevoked = `(c.revoked_at is not null or ${isAuthorityRevoked})`
  const byStatus = {
    valid: () => `not ${isRevoked} and c.valid_before > ${add(now)}`,
    revoked: () => isRevoked,
    expired: () => `not ${isRevoked} and c.valid_before <= ${add(now)}`,
  }
  const conditions = [
    ...(serviceAccountId === undefined ? [] : [`c.service_account_id = ${add(serviceAccountId)}`]),
    ...(hostName === undefined ? [] : [`${add(hostName)} = any (c.host_names)`]),
    ...(status === undefined ? [] : [byStatus[status]()]),
  ]
  return readListPage<SshHostCertificateRow>(
    pool,
    { ...page, sort: '-createdAt' },
    'c',
    columns,
    'ssh_host_certificates c',
    conditions,
    params,
  )
}
