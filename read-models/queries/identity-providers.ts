import type pg from 'pg'
import type { IdentityProviderFields, IdentityProviderType } from '../../domain/identity-provider/events.ts'
import type { KnownAccount } from '../../domain/identity-provider/linking.ts'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import { parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

export interface IdentityProviderRow {
  readonly id: Id<'identityProvider'>
  readonly type: IdentityProviderType
  readonly issuer: string
  readonly enabled: boolean
  readonly fields: IdentityProviderFields & {
    readonly groupMapping: readonly { readonly value: string; readonly groupId: Id<'group'> }[]
    readonly jitGroupIds: readonly Id<'group'>[]
  }
  readonly hasSecret: boolean
  /** Number of linked accounts */
  readonly linkedAccountCount: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

const columns = `
  p.id, p.type, p.issuer, p.status = 'enabled' as enabled, p.fields, p.sealed_secret is not null as "hasSecret",
  (select count(*)::int from linked_accounts l where l.identity_provider_id = p.id) as "linkedAccountCount",
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.version`

export const findIdentityProvider = async (
  pool: pg.Pool,
  id: string,
): Promise<IdentityProviderRow | null> => {
  const { rows } = await pool.query<IdentityProviderRow>(
    `select ${columns} from identity_providers p where p.id = $1 and p.status <> 'deleted'`,
    [id],
  )
  return rows[0] ?? null
}

export interface IdentityProviderFilters {
  readonly enabled?: boolean | undefined
  readonly q?: string | undefined
}

export const listIdentityProviders = (
  pool: pg.Pool,
  { enabled, q }: IdentityProviderFilters,
  page: ListPage,
): Promise<readonly (IdentityProviderRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const conditions = [
    `p.status <> 'deleted'`,
    ...(enabled === undefined ? [] : [`(p.status = 'enabled') = ${add(enabled)}`]),
    ...(q === undefined ? [] : [`p.name_key collate "C" like lower(${add(prefixPattern(q))})`]),
  ]
  const from = `(select i.*, i.fields ->> 'name' as name from identity_providers i) p`
  return readListPage<IdentityProviderRow>(pool, page, 'p', columns, from, conditions, params)
}

export const countIdentityProviders = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from identity_providers where status <> 'deleted'`,
  )
  return rows[0]?.n ?? 0
}

/** Returns the providers that use a domain. */
export const providersOfDomain = async (
  pool: pg.Pool,
  domain: string,
): Promise<readonly { readonly id: string; readonly name: string }[]> => {
  const { rows } = await pool.query<{ id: string; name: string }>(
    `select id, fields ->> 'name' as name from identity_providers
     where status <> 'deleted' and fields -> 'domains' ? $1 order by name_key`,
    [domain],
  )
  return rows
}

/** Returns the current memberships that come from a provider. */
export const membershipsThrough = async (
  pool: pg.Pool,
  identityProviderId: string,
): Promise<readonly { readonly groupId: string; readonly userId: string }[]> => {
  const { rows } = await pool.query<{ groupId: string; userId: string }>(
    `select group_id as "groupId", user_id as "userId" from memberships
     where via = 'identity_provider' and source_id = $1 and to_position is null order by user_id, group_id`,
    [identityProviderId],
  )
  return rows
}

/** Returns the live sessions that were started with a provider. */
export const sessionsThrough = async (
  pool: pg.Pool,
  identityProviderId: string,
  now: Instant,
): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select s.id from linked_accounts l
     join sessions s on s.user_id = l.user_id and s.ended_at is null and l.id = any(s.method_ids)
     where l.identity_provider_id = $1 and s.expires_at > $2 order by s.id`,
    [identityProviderId, now],
  )
  return rows.map(({ id }) => id)
}

/** An open session that a provider has opened. */
export interface LinkedSession {
  readonly id: string
  /** As returned by `providerSessionOf`; null if the provider did not say */
  readonly providerSession: string | null
}

/**
 * Returns open sessions of a provider: those of one account there or, without a subject, of one session there.
 * @param before the user signed in at the provider by this time
 */
export const sessionsOfLink = async (
  pool: pg.Pool,
  {
    identityProviderId,
    subject,
    providerSession,
  }: {
    readonly identityProviderId: string
    readonly subject: string | null
    readonly providerSession: string | null
  },
  before: Instant,
  now: Instant,
): Promise<readonly LinkedSession[]> => {
  if (subject === null && providerSession === null) return []
  const [condition, value] =
    subject === null ? ['s.provider_session = $2', providerSession] : ['l.subject = $2', subject]
  const { rows } = await pool.query<LinkedSession>(
    `select distinct s.id, s.provider_session as "providerSession" from linked_accounts l
     join sessions s on s.user_id = l.user_id and s.ended_at is null and l.id = any(s.method_ids)
     where l.identity_provider_id = $1 and ${condition} and s.auth_time <= $3 and s.expires_at > $4
     order by s.id`,
    [identityProviderId, value, before, now],
  )
  return rows
}

/** Returns the groups that a user is a member of through a provider. */
export const groupsThrough = async (
  pool: pg.Pool,
  identityProviderId: string,
  userId: string,
): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select group_id as id from memberships
     where user_id = $2 and via = 'identity_provider' and source_id = $1 and to_position is null`,
    [identityProviderId, userId],
  )
  return rows.map(({ id }) => id)
}

/** Returns the names of providers that add members to a group. */
export const providersUsingGroup = async (pool: pg.Pool, groupId: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select fields ->> 'name' as name from identity_providers
     where status <> 'deleted' and (fields -> 'jitGroupIds' ? $1
       or fields -> 'groupMapping' @> jsonb_build_array(jsonb_build_object('groupId', $1::text)))
     order by name_key`,
    [groupId],
  )
  return rows.map(({ name }) => name)
}

/**
 * Counts the active users who could not sign in without a provider: no passkey, no authenticator app, and no account
 * at another enabled provider.
 */
export const countOnlyMethodOf = async (pool: pg.Pool, identityProviderId: string): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `select count(distinct u.id)::int as n
     from linked_accounts l join users u on u.id = l.user_id and u.status = 'active'
     where l.identity_provider_id = $1
       and not exists (select from methods m where m.user_id = u.id)
       and not exists (select from linked_accounts o
         join identity_providers p on p.id = o.identity_provider_id and p.status = 'enabled'
         where o.user_id = u.id and o.identity_provider_id <> $1)`,
    [identityProviderId],
  )
  return rows[0]?.n ?? 0
}

/** The user of a linked account. */
export interface LinkedUser {
  readonly linkId: string
  readonly userId: Id<'user'>
  readonly status: UserStatus
  readonly name: string
  readonly email: string
}

export const linkedUser = async (
  pool: pg.Pool,
  identityProviderId: string,
  subject: string,
): Promise<LinkedUser | null> => {
  const { rows } = await pool.query<LinkedUser>(
    `select l.id as "linkId", u.id as "userId", u.status, u.name, u.email
     from linked_accounts l join users u on u.id = l.user_id
     where l.identity_provider_id = $1 and l.subject = $2`,
    [identityProviderId, subject],
  )
  return rows[0] ?? null
}

/** Returns the user with an address, as a decision about linking needs them. */
export const accountAtAddress = async (
  pool: pg.Pool,
  identityProviderId: string,
  email: string,
): Promise<KnownAccount | null> => {
  const { rows } = await pool.query<KnownAccount>(
    `select u.id as "userId", u.status,
       exists (select from linked_accounts l
         where l.user_id = u.id and l.identity_provider_id = $1) as "hasOtherLink",
       exists (select from methods m where m.user_id = u.id)
         or exists (select from linked_accounts o
           join identity_providers p on p.id = o.identity_provider_id and p.status = 'enabled'
           where o.user_id = u.id and o.identity_provider_id <> $1) as "canConfirm"
     from users u where u.email_key = lower($2)`,
    [identityProviderId, email],
  )
  return rows[0] ?? null
}
