/**
 * Tables that requests of anybody wait in. Nobody is refused because others have filled one: a network that has too many
 * loses its own oldest, and where all together are too many, those lose that have most. Who comes from a network with few
 * keeps theirs.
 */
import type pg from 'pg'
import { networkOf, siteOf } from '../../kernel/client-ip.ts'
import type { ServiceSeals } from '../../engines/vault/service-seals.ts'

export interface RoomLimits {
  /** Rows of one network: an IPv4 address, or an IPv6 /64. */
  readonly ofOneNetwork: number
  /** Rows in all. For a moment there may be a tenth more, at each instance. */
  readonly inAll: number
}

/** Keyed digests; neither an address nor a network is stored. */
export interface Origin {
  readonly network: string
  readonly site: string
}

const PURPOSE = 'waiting-room'

/** Kept when there are too many: the fewer, the longer until the next time. */
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

  /** Removes the oldest of those networks that have most, where there are too many in all. */
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

    /** To be run with the insert of one row: a common table expression that makes room for it in its own network. */
    makeRoom: (network: string): string =>
      `gone as (delete from work.${table} where id in (
         select id from work.${table} where origin = ${network} order by created_at desc, id desc
         offset ${String(ofOneNetwork - 1)}))`,

    /** Called for each row added. */
    added: async (): Promise<void> => {
      added += 1
      if (added < inAll * (1 - KEPT_SHARE)) return
      added = 0
      await trim()
    },

    trim,
  }
}
