import type pg from 'pg'
import { DomainError } from '../../domain/errors.ts'

/** What must be one of a kind across streams, and where the read models keep those in use. */
const taken = {
  user_email: { sql: 'select id from users where email_key = $1', field: '/email', what: 'e-mail address' },
  user_name: {
    // Who has no user name goes by the address.
    sql: `select id from users where user_name_key = $1 or (email_key = $1 and user_name_key is null)`,
    field: '/userName',
    what: 'user name',
  },
  user_external_id: {
    sql: 'select id from users where external_id = $1',
    field: '/externalId',
    what: 'external id',
  },
  credential: {
    sql: 'select user_id as id from methods where credential_id = $1',
    field: '',
    what: 'passkey',
  },
  group_name: { sql: 'select id from groups where name_key = $1', field: '/name', what: 'group name' },
  application_name: {
    sql: 'select id from applications where name_key = $1',
    field: '/name',
    what: 'application name',
  },
  service_account_name: {
    sql: 'select id from service_accounts where name_key = $1',
    field: '/name',
    what: 'name of a service account',
  },
  saml_entity_id: {
    sql: 'select id from applications where entity_id = $1',
    field: '/saml/entityId',
    what: 'entity id',
  },
  api_identifier: {
    sql: `select id from api_resources where identifier = $1 and status = 'exists'`,
    field: '/identifier',
    what: 'identifier',
  },
  api_scope: {
    sql: `select id from api_resources where status = 'exists'
            and scopes @> jsonb_build_array(jsonb_build_object('name', $1::text))`,
    field: '/scopes',
    what: 'scope',
  },
} as const

export type Unique = keyof typeof taken

export interface Claim {
  readonly kind: Unique
  readonly value: string
  /** The record that wants it. */
  readonly owner: string
  /** JSON pointer to the value, where the kind alone does not tell. */
  readonly field?: string
}

/** An append that has not ended within this time has failed: appends give up long before. */
const ABANDONED_SECONDS = 60

const caseless: ReadonlySet<Unique> = new Set<Unique>([
  'user_email',
  'user_name',
  'group_name',
  'application_name',
  'service_account_name',
])

/**
 * Uniqueness across streams. A claim is a row taken before the append; the read models take over once the projection
 * has passed that append, and only then may the row go.
 */
export const reservations = (deps: {
  readonly pool: pg.Pool
  /** One-way form of a value, so that no name or address stands in a table that outlives erasure. */
  readonly hash: (text: string) => string
  /** Whether the core projection has come to the end of the log, so that what the read models lack is not there. */
  readonly current: () => Promise<boolean>
}) => {
  const { pool, hash, current } = deps

  const take = async (kind: Unique, key: string, owner: string, abandonedToo: boolean): Promise<boolean> => {
    const { rowCount } = await pool.query(
      `insert into work.reservation as r (kind, value, owner, taken_at, position)
       values ($1, $2, $3, clock_timestamp(), null)
       on conflict (kind, value) do update
         set owner = excluded.owner, taken_at = excluded.taken_at, position = null
         where r.owner = excluded.owner
            or r.position <= (select position from checkpoint where name = 'core')
            or ($5 and r.position is null and r.taken_at < clock_timestamp() - make_interval(secs => $4))`,
      [kind, key, owner, ABANDONED_SECONDS, abandonedToo],
    )
    return rowCount === 1
  }

  const claim = async ({ kind, value, owner, field = taken[kind].field }: Claim): Promise<string> => {
    const normal = caseless.has(kind) ? value.toLowerCase() : value
    const key = hash(`${kind}|${normal}`)
    const conflict = new DomainError('ERR_CONFLICT', `This ${taken[kind].what} is taken.`, field)
    const free =
      (await take(kind, key, owner, false)) || ((await current()) && (await take(kind, key, owner, true)))
    if (!free) throw conflict
    const { rows } = await pool.query<{ id: string }>(taken[kind].sql, [normal])
    if (rows.some(({ id }) => id !== owner)) {
      await pool.query('delete from work.reservation where kind = $1 and value = $2 and owner = $3', [
        kind,
        key,
        owner,
      ])
      throw conflict
    }
    return key
  }

  return {
    /**
     * Runs an append under claims on the values it makes unique.
     * @param append answers with the position of what it recorded, null for nothing
     * @throws DomainError ERR_CONFLICT naming the field whose value another record has
     */
    under: async <T extends { readonly position: string | null }>(
      claims: readonly Claim[],
      append: () => Promise<T>,
    ): Promise<T> => {
      const held: { readonly claim: Claim; readonly key: string }[] = []
      const settle = async (position: string | null): Promise<void> => {
        for (const { claim: c, key } of held)
          await pool.query(
            position === null
              ? 'delete from work.reservation where kind = $1 and value = $2 and owner = $3'
              : 'update work.reservation set position = $4 where kind = $1 and value = $2 and owner = $3',
            [c.kind, key, c.owner, ...(position === null ? [] : [position])],
          )
      }
      try {
        for (const c of claims) held.push({ claim: c, key: await claim(c) })
      } catch (error) {
        await settle(null)
        throw error
      }
      try {
        const result = await append()
        await settle(result.position)
        return result
      } catch (error) {
        // When the append may yet have happened the claims stay until they count as abandoned.
        if (error instanceof DomainError && error.code !== 'ERR_UNAVAILABLE') await settle(null)
        throw error
      }
    },

    /** Removes claims that the read models have taken over. */
    sweep: async (): Promise<void> => {
      await pool.query(
        `delete from work.reservation where position <= (select position from checkpoint where name = 'core')`,
      )
    },
  }
}

export type Reservations = ReturnType<typeof reservations>
