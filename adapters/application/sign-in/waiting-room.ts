/**
 * Tables for pending requests of unauthenticated clients. No client is rejected because others filled a table: a
 * network with too many requests loses its own oldest ones, and if the total is too high, the networks with the most
 * requests lose their oldest ones.
 */
import type pg from 'pg'
import { networkOf, siteOf } from '../../kernel/client-ip.ts'
import type { ServiceSeals } from '../../engines/vault/service-seals.ts'

export interface RoomLimits {
  /** Maximum number of rows per network: an IPv4 address, or an IPv6 /64. */
  readonly ofOneNetwork: number
  /** Maximum number of rows in total. Each instance may exceed it by a tenth for a short time. */
  readonly inAll: number
}

/** Keyed digests; addresses and networks are not stored. */
export interface Origin {
  readonly network: string
  readonly site: string
}

const PURPOSE = 'waiting-room'

/** A cleanup deletes rows down to this share of the maximum: the lower the share, the rarer the cleanups. */
const KEPT_SHARE = 0.9

/**
 * @param table in schema `work`, with columns `id`, `origin` (the network), `site`, `created_at`, `expires_at`
 */
export const waitingRoom = (
  table: 'auth_request' | 'device_login',
  { pool, vault }: { readonly pool: pg.Pool; readonly vault: Pick<ServiceSeals, 'digest'> },
  { ofOneNetwork, inAll }: RoomLimits,
) => {
  let added = 0

  /** Deletes the oldest requests of the networks with the most, if the total is too high. */
  const trim = async (): Promise<void> => {
    const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n from work.${table}`)
    const tooMany = (rows[0]?.n ?? 0) - inAll
    if (tooMany <= 0) return
    await pool.query(
      `delete from work.${table} where id in (
         select id from (
           select id, created_at, row_number() over (partition by site order by created_at desc, id desc) as nth
           from work.${table}) ranked
         order by nth desc, created_at limit $1)`,
      [tooMany + Math.ceil(inAll * (1 - KEPT_SHARE))],
    )
  }

  return {
    originOf: (ip: string): Origin => ({
      network: vault.digest(PURPOSE, networkOf(ip)),
      site: vault.digest(PURPOSE, siteOf(ip)),
    }),

    /** A common table expression for the insert of a row: deletes the oldest rows of its network. */
    makeRoom: (network: string): string =>
      `gone as (delete from work.${table} where id in (
         select id from work.${table} where origin = ${network} order by created_at desc, id desc
         offset ${String(ofOneNetwork - 1)}))`,

    /** Called for each added row. */
    added: async (): Promise<void> => {
      added += 1
      if (added < inAll * (1 - KEPT_SHARE)) return
      added = 0
      await trim()
    },

    trim,
  }
}
