import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { NetworkZoneFields, NetworkZoneType } from '../../domain/network-zone/events.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

export interface NetworkZoneRow extends NetworkZoneFields {
  readonly id: Id<'networkZone'>
  /** Names of the policies that name it */
  readonly usedBy: readonly { readonly policyId: Id<'policy'>; readonly name: string }[]
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

const columns = `
  z.id, z.name, z.type, z.cidrs, z.countries, z.asns::float8[] as asns, z.anonymizers, z.blocked, z.trusted,
  (select coalesce(json_agg(json_build_object('policyId', p.id, 'name', p.name) order by p.name, p.id), '[]')
    from policies p where p.to_position is null and p.status <> 'deleted'
      and (p.conditions #> '{zones,include}' ? z.id or p.conditions #> '{zones,exclude}' ? z.id)) as "usedBy",
  z.created_at as "createdAt", z.updated_at as "updatedAt", z.version`

export const findNetworkZone = async (pool: pg.Pool, id: string): Promise<NetworkZoneRow | null> => {
  const { rows } = await pool.query<NetworkZoneRow>(
    `select ${columns} from network_zones z where z.id = $1 and z.status = 'exists'`,
    [id],
  )
  return rows[0] ?? null
}

export interface NetworkZoneFilters {
  readonly type?: NetworkZoneType | undefined
  readonly blocked?: boolean | undefined
  readonly trusted?: boolean | undefined
  readonly q?: string | undefined
}

export const listNetworkZones = (
  pool: pg.Pool,
  { type, blocked, trusted, q }: NetworkZoneFilters,
  page: ListPage,
): Promise<readonly (NetworkZoneRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const conditions = [
    `z.status = 'exists'`,
    ...(type === undefined ? [] : [`z.type = ${add(type)}`]),
    ...(blocked === undefined ? [] : [`z.blocked = ${add(blocked)}`]),
    ...(trusted === undefined ? [] : [`z.trusted = ${add(trusted)}`]),
    ...(q === undefined ? [] : [`lower(z.name) collate "C" like lower(${add(prefixPattern(q))})`]),
  ]
  return readListPage<NetworkZoneRow>(pool, page, 'z', columns, 'network_zones z', conditions, params)
}
