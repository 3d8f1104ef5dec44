import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { SshExtension, SshPrincipalMappingFields } from '../../domain/ssh-principal-mapping/events.ts'
import type { Instant } from '../../domain/time.ts'
import { inForceNow, parameters, readListPage, type ListPage, type Sorted } from './page.ts'
import { isCompromised } from './policy-state.ts'

export interface SshPrincipalMappingRow extends SshPrincipalMappingFields {
  readonly id: Id<'sshPrincipalMapping'>
  readonly groupId: Id<'group'>
  readonly groupName: string
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

const mappingColumns = `
  m.id, m.group_id as "groupId", coalesce((select g.name from groups g where g.id = m.group_id), '') as "groupName",
  m.principals, m.max_validity_seconds as "maxValiditySeconds", m.source_addresses as "sourceAddresses", m.extensions,
  m.created_at as "createdAt", m.updated_at as "updatedAt", m.version`

export const findSshPrincipalMapping = async (
  pool: pg.Pool,
  id: string,
): Promise<SshPrincipalMappingRow | null> => {
  const { rows } = await pool.query<SshPrincipalMappingRow>(
    `select ${mappingColumns} from ssh_principal_mappings m where m.id = $1`,
    [id],
  )
  return rows[0] ?? null
}

export interface SshPrincipalMappingFilters {
  readonly groupId?: string | undefined
  readonly principal?: string | undefined
}

/** Returns mappings, newest first. */
export const listSshPrincipalMappings = (
  pool: pg.Pool,
  { groupId, principal }: SshPrincipalMappingFilters,
  page: Omit<ListPage, 'sort'>,
): Promise<readonly (SshPrincipalMappingRow & Sorted)[]> => {
  const params = parameters()
  const conditions = [
    ...(groupId === undefined ? [] : [`m.group_id = ${params.add(groupId)}`]),
    ...(principal === undefined ? [] : [`${params.add(principal)} = any (m.principals)`]),
  ]
  return readListPage<SshPrincipalMappingRow>(
    pool,
    { ...page, sort: '-createdAt' },
    'm',
    mappingColumns,
    'ssh_principal_mappings m',
    conditions,
    params,
  )
}

/** Returns the mappings of a group, oldest first. */
export const mappingsOfGroup = async (
  pool: pg.Pool,
  groupId: string,
): Promise<readonly SshPrincipalMappingRow[]> => {
  const { rows } = await pool.query<SshPrincipalMappingRow>(
    `select ${mappingColumns} from ssh_principal_mappings m where m.group_id = $1 order by m.created_at, m.id`,
    [groupId],
  )
  return rows
}

/** Returns the mappings of all groups that a user is a member of now. */
export const mappingsOfUser = async (
  pool: pg.Pool,
  userId: string,
  now: Instant,
): Promise<readonly SshPrincipalMappingRow[]> => {
  const { rows } = await pool.query<SshPrincipalMappingRow>(
    `select ${mappingColumns} from ssh_principal_mappings m
     where m.group_id in (
       select s.group_id from memberships s where s.user_id = $1 and ${inForceNow('s', '$2')})
     order by m.created_at, m.id`,
    [userId, now],
  )
  return rows
}

export interface SshCertificateRow {
  /** The serial number */
  readonly id: string
  readonly userId: Id<'user'>
  /** Empty if it is unreadable */
  readonly userName: string
  /** Null if the user was erased */
  readonly keyId: string | null
  readonly keyType: string
  readonly keyFingerprint: string
  readonly authorityFingerprint: string
  readonly principals: readonly string[]
  readonly sourceAddresses: readonly string[]
  readonly extensions: readonly SshExtension[]
  readonly validAfter: Instant
  readonly validBefore: Instant
  readonly createdAt: Instant
  readonly revokedAt: Instant | null
  readonly revokedBy: string | null
  readonly revokeReason: string | null
  /** Whether the key of the authority was revoked */
  readonly isAuthorityRevoked: boolean
}

/** Of a certificate `c` */
export const isAuthorityRevoked =
  "c.authority_fingerprint in (select a.fingerprint from ssh_authority_keys a where a.status = 'revoked')"

const certificateColumns = `
  c.id, c.user_id as "userId", coalesce((select u.name from users u where u.id = c.user_id), '') as "userName",
  c.key_id as "keyId", c.key_type as "keyType", c.key_fingerprint as "keyFingerprint",
  c.authority_fingerprint as "authorityFingerprint", c.principals, c.source_addresses as "sourceAddresses",
  c.extensions, c.valid_after as "validAfter", c.valid_before as "validBefore", c.created_at as "createdAt",
  c.revoked_at as "revokedAt", c.revoked_by as "revokedBy", c.revoke_reason as "revokeReason",
  ${isAuthorityRevoked} as "isAuthorityRevoked"`

export const findSshCertificate = async (
  pool: pg.Pool,
  serial: string,
): Promise<SshCertificateRow | null> => {
  const { rows } = await pool.query<SshCertificateRow>(
    `select ${certificateColumns} from ssh_certificates c where c.id = $1`,
    [serial],
  )
  return rows[0] ?? null
}

export type SshCertificateStatus = 'valid' | 'revoked' | 'expired'

export interface SshCertificateFilters {
  readonly userId?: string | undefined
  readonly principal?: string | undefined
  /** A certificate that was revoked before it expired stays `revoked`. */
  readonly status?: SshCertificateStatus | undefined
}

/** Returns certificates, newest first. */
export const listSshCertificates = (
  pool: pg.Pool,
  { userId, principal, status }: SshCertificateFilters,
  now: Instant,
  page: Omit<ListPage, 'sort'>,
): Promise<readonly (SshCertificateRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const isRevoked = `(c.revoked_at is not null or ${isAuthorityRevoked})`
  const byStatus = {
    valid: () => `not ${isRevoked} and c.valid_before > ${add(now)}`,
    revoked: () => isRevoked,
    expired: () => `not ${isRevoked} and c.valid_before <= ${add(now)}`,
  }
  const conditions = [
    ...(userId === undefined ? [] : [`c.user_id = ${add(userId)}`]),
    ...(principal === undefined ? [] : [`${add(principal)} = any (c.principals)`]),
    ...(status === undefined ? [] : [byStatus[status]()]),
  ]
  return readListPage<SshCertificateRow>(
    pool,
    { ...page, sort: '-createdAt' },
    'c',
    certificateColumns,
    'ssh_certificates c',
    conditions,
    params,
  )
}

export interface RevokedSshCertificates {
  /** The authority's key, a line without a comment */
  readonly publicKey: string
  /** Serial numbers, ascending */
  readonly serials: readonly string[]
}

/** Servers with a slow clock still accept a certificate for a while after its end. */
const CLOCK_SKEW = '1 day'

/** Whether the service account `a` may still certify a host with all names of the certificate `c`. */
const mayCertify = `not exists (select from unnest(c.host_names) as names (host)
  where host <> all (a.ssh_host_names) and '*' || substr(host, strpos(host, '.')) <> all (a.ssh_host_names))`

/**
 * Returns, by authority, the certificates of users and hosts that nobody should accept although they have not expired:
 * revoked ones, those of users who are not active or whose account is compromised, and those of hosts that their
 * service account may not certify any more.
 */
export const revokedSshCertificates = async (
  pool: pg.Pool,
  now: Instant,
): Promise<readonly RevokedSshCertificates[]> => {
  const { rows } = await pool.query<RevokedSshCertificates>(
    `select a.public_key as "publicKey", array_agg(r.id order by r.id::bigint) as serials
     from (
       select c.id, c.authority_fingerprint, c.valid_before from ssh_certificates c
       where c.revoked_at is not null
         or not exists (select from users u where u.id = c.user_id and u.status = 'active')
         or ${isCompromised('c.user_id')}
       union all
       select c.id, c.authority_fingerprint, c.valid_before from ssh_host_certificates c
       where c.revoked_at is not null
         or not exists (select from service_accounts a
           where a.id = c.service_account_id and a.status = 'active' and ${mayCertify})) r
     join ssh_authority_keys a on a.fingerprint = r.authority_fingerprint
     where r.valid_before > $1::timestamptz - interval '${CLOCK_SKEW}'
     group by a.fingerprint, a.public_key order by a.public_key`,
    [now],
  )
  return rows
}

export interface SshAuthorityKeyStanding {
  readonly fingerprint: string
  readonly status: 'next' | 'active' | 'previous' | 'retired' | 'revoked'
  readonly publicKey: string
  readonly createdAt: Instant
  readonly activatedAt: Instant | null
  readonly retiresAt: Instant | null
}

/** Returns all keys of the authority, newest first, without their private halves. */
export const listSshAuthorityKeys = async (pool: pg.Pool): Promise<readonly SshAuthorityKeyStanding[]> => {
  const { rows } = await pool.query<SshAuthorityKeyStanding>(
    `select fingerprint, status, public_key as "publicKey", created_at as "createdAt",
       activated_at as "activatedAt", retires_at as "retiresAt"
     from ssh_authority_keys order by created_at desc, fingerprint`,
  )
  return rows
}

/** Returns the fingerprints of previous keys whose time has ended. */
export const overdueSshAuthorityKeys = async (pool: pg.Pool, now: Instant): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ fingerprint: string }>(
    `select fingerprint from ssh_authority_keys where status = 'previous' and retires_at <= $1`,
    [now],
  )
  return rows.map(({ fingerprint }) => fingerprint)
}
