import type pg from 'pg'
import { DomainError } from '../../../domain/errors.ts'
import { coalesced } from '../../kernel/coalesce.ts'

/** The values that must be unique across streams, and the query that finds `c.value` among those in use. */
const taken = {
  user_email: {
    sql: 'select id from users where email_key = c.value',
    field: '/email',
    what: 'email address',
  },
  user_name: {
    // A user without a user name is found by the email address.
    sql: `select id from users where user_name_key = c.value
          union all select id from users where email_key = c.value and user_name_key is null`,
    field: '/userName',
    what: 'user name',
  },
  user_external_id: {
    sql: 'select id from users where external_id = c.value',
    field: '/externalId',
    what: 'external id',
  },
  credential: {
    sql: 'select user_id as id from methods where credential_id = c.value',
    field: '',
    what: 'passkey',
  },
  group_name: { sql: 'select id from groups where name_key = c.value', field: '/name', what: 'group name' },
  application_name: {
    sql: 'select id from applications where name_key = c.value',
    field: '/name',
    what: 'application name',
  },
  service_account_name: {
    sql: 'select id from service_accounts where name_key = c.value',
    field: '/name',
    what: 'name of a service account',
  },
  access_package_name: {
    sql: 'select id from access_packages where name_key = c.value',
    field: '/name',
    what: 'name of an access package',
  },
  lifecycle_rule_name: {
    sql: 'select id from lifecycle_rules where name_key = c.value',
    field: '/name',
    what: 'name of a lifecycle rule',
  },
  network_zone_name: {
    sql: 'select id from network_zones where name_key = c.value',
    field: '/name',
    what: 'name of a network zone',
  },
  identity_provider_name: {
    sql: 'select id from identity_providers where name_key = c.value',
    field: '/name',
    what: 'name of an identity provider',
  },
  /** `<identity provider id>|<subject>` */
  linked_account: {
    sql: `select user_id as id from linked_accounts where identity_provider_id = split_part(c.value, '|', 1)
            and subject = substr(c.value, strpos(c.value, '|') + 1)`,
    field: '',
    what: 'external account',
  },
  domain_name: {
    sql: 'select id from domains where name_key = c.value',
    field: '/name',
    what: 'domain',
  },
  saml_entity_id: {
    sql: 'select id from applications where entity_id = c.value',
    field: '/saml/entityId',
    what: 'entity id',
  },
  api_identifier: {
    sql: `select id from api_resources where identifier = c.value and status = 'exists'`,
    field: '/identifier',
    what: 'identifier',
  },
  api_scope: {
    sql: `select id from api_resources where status = 'exists'
            and scopes @> jsonb_build_array(jsonb_build_object('name', c.value))`,
    field: '/scopes',
    what: 'scope',
  },
} as const

export type Unique = keyof typeof taken

export interface Claim {
  readonly kind: Unique
  readonly value: string
  /** The id of the record that claims the value */
  readonly owner: string
  /** JSON pointer to the value, if the kind alone does not determine it. */
  readonly field?: string
}

/** An append that has no result within this time has failed: appends time out long before. */
const ABANDONED_SECONDS = 60

const caseless: ReadonlySet<Unique> = new Set<Unique>([
  'user_email',
  'user_name',
  'group_name',
  'application_name',
  'service_account_name',
  'network_zone_name',
  'identity_provider_name',
])

/** A claim with its values as stored in the row. */
interface Keyed extends Claim {
  /** The value as the read models compare it */
  readonly normal: string
  readonly key: string
}

interface Taking extends Keyed {
  /** Whether to ignore a claim whose append has an unknown outcome. */
  readonly abandonedToo: boolean
}

interface Closing extends Keyed {
  readonly position: string | null
}

const nameOf = ({ kind, key }: Keyed): string => `${kind} ${key}`

/** Splits claims into batches without duplicate values, in the original order. */
const rounds = <C extends Keyed>(claims: readonly C[]): readonly (readonly C[])[] => {
  const parts: Map<string, C>[] = []
  for (const claim of claims) {
    const free = parts.find((part) => !part.has(nameOf(claim)))
    if (free === undefined) parts.push(new Map([[nameOf(claim), claim]]))
    else free.set(nameOf(claim), claim)
  }
  return parts.map((part) => [...part.values()])
}

const columnsOf = (claims: readonly Keyed[]): readonly (readonly string[])[] => [
  claims.map(({ kind }) => kind),
  claims.map(({ key }) => key),
  claims.map(({ owner }) => owner),
]

/** Combines concurrent calls into one; each call gets its own results in order. */
const together = <Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): ((questions: readonly Question[]) => Promise<readonly Answer[]>) => {
  const one = coalesced(async (requests: readonly (readonly Question[])[]) => {
    const answers = [...(await ask(requests.flat()))]
    return requests.map(({ length }) => answers.splice(0, length))
  })
  return (questions) => (questions.length === 0 ? Promise.resolve([]) : one(questions))
}

/**
 * Uniqueness across streams. A claim is a row inserted before the append; once the projection has processed
 * that append, the read models enforce uniqueness and the row can be deleted. Concurrent requests share
 * statements.
 */
export const reservations = (deps: {
  readonly pool: pg.Pool
  /** For statements that are planned once */
  readonly lookups: pg.Pool
  /** Hashes a value, so that no name or address is stored in a table that erasure does not change. */
  readonly hash: (text: string) => string
  /**
   * Whether the core projection has reached the end of the log, so that a value missing in the read models
   * does not exist.
   */
  readonly current: () => Promise<boolean>
}) => {
  const { pool, lookups, hash, current } = deps

  // Always ordered by key, so that statements for the same rows wait for each other instead of deadlocking.
  const take = together(async (claims: readonly Taking[]): Promise<readonly boolean[]> => {
    const got = new Set<Taking>()
    for (const round of rounds(claims)) {
      const { rows } = await pool.query<{ kind: string; value: string }>(
        `insert into work.reservation as r (kind, value, owner, taken_at, position)
         select kind, value, owner, clock_timestamp(), null
         from unnest($1::text[], $2::text[], $3::text[]) as c (kind, value, owner) order by kind, value
         on conflict (kind, value) do update
           set owner = excluded.owner, taken_at = excluded.taken_at, position = null
           where r.owner = excluded.owner
              or r.position <= (select position from checkpoint where name = 'core')
              or (r.position is null and r.taken_at < clock_timestamp() - make_interval(secs => $4)
                  and (r.kind, r.value) in (select * from unnest($5::text[], $6::text[])))
         returning kind, value`,
        [
          ...columnsOf(round),
          ABANDONED_SECONDS,
          ...columnsOf(round.filter(({ abandonedToo }) => abandonedToo)).slice(0, 2),
        ],
      )
      const names = new Set(rows.map(({ kind, value }) => `${kind} ${value}`))
      for (const claim of round) if (names.has(nameOf(claim))) got.add(claim)
    }
    return claims.map((claim) => got.has(claim))
  })

  /** Whether the read models have the value for another record. */
  const isTaken = together(async (claims: readonly Keyed[]): Promise<readonly boolean[]> => {
    const kinds = [...new Set(claims.map(({ kind }) => kind))].sort()
    const { rows } = await lookups.query<{ kind: string; value: string; id: string }>({
      name: `taken ${kinds.join(' ')}`,
      text: kinds
        .map(
          (kind, at) => `select '${kind}' as kind, c.value, t.id
            from unnest($${String(at + 1)}::text[]) as c (value) cross join lateral (${taken[kind].sql}) t`,
        )
        .join(' union all '),
      values: kinds.map((kind) => claims.filter((each) => each.kind === kind).map(({ normal }) => normal)),
    })
    const owners = new Map<string, Set<string>>()
    for (const { kind, value, id } of rows) {
      const name = `${kind} ${value}`
      owners.set(name, (owners.get(name) ?? new Set()).add(id))
    }
    return claims.map(({ kind, normal, owner }) =>
      [...(owners.get(`${kind} ${normal}`) ?? [])].some((id) => id !== owner),
    )
  })

  const confirmOrRelease = together(async (claims: readonly Closing[]): Promise<readonly undefined[]> => {
    const held = `with held as materialized (
        select r.kind, r.value, c.position
        from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as c (kind, value, owner, position)
          join work.reservation r on r.kind = c.kind and r.value = c.value and r.owner = c.owner
        order by r.kind, r.value for update of r)`
    const run = async (some: readonly Closing[], sql: string): Promise<void> => {
      if (some.length > 0)
        await pool.query(`${held} ${sql}`, [...columnsOf(some), some.map(({ position }) => position)])
    }
    for (const round of rounds(claims)) {
      await run(
        round.filter(({ position }) => position === null),
        'delete from work.reservation r using held h where r.kind = h.kind and r.value = h.value',
      )
      await run(
        round.filter(({ position }) => position !== null),
        `update work.reservation r set position = h.position from held h
         where r.kind = h.kind and r.value = h.value`,
      )
    }
    return claims.map(() => undefined)
  })

  const keyed = (claim: Claim): Keyed => {
    const normal = caseless.has(claim.kind) ? claim.value.toLowerCase() : claim.value
    return { ...claim, normal, key: hash(`${claim.kind}|${normal}`) }
  }

  const release = (claims: readonly Keyed[]) =>
    confirmOrRelease(claims.map((each) => ({ ...each, position: null })))

  const conflict = ({ kind, field = taken[kind].field }: Claim): DomainError =>
    new DomainError('ERR_CONFLICT', `This ${taken[kind].what} is already in use.`, field)

  /**
   * Takes all claims or none.
   * @throws DomainError ERR_CONFLICT for the first one that another record holds
   */
  const takeAll = async (claims: readonly Keyed[]): Promise<void> => {
    const first = await take(claims.map((each) => ({ ...each, abandonedToo: false })))
    const others = claims.filter((_, at) => first[at] !== true)
    const again =
      others.length > 0 && (await current())
        ? await take(others.map((each) => ({ ...each, abandonedToo: true })))
        : []
    const lacking = others.filter((_, at) => again[at] !== true)
    const held = claims.filter((each) => !lacking.includes(each))
    try {
      const used = lacking.length === 0 ? await isTaken(held) : []
      const refused = lacking[0] ?? held.find((_, at) => used[at] === true)
      if (refused !== undefined) throw conflict(refused)
    } catch (error) {
      await release(held)
      throw error
    }
  }

  return {
    /**
     * Runs an append while holding claims on its unique values.
     * @param append returns the position of the recorded events; null if nothing was recorded
     * @throws DomainError ERR_CONFLICT naming the field whose value another record has
     */
    under: async <T extends { readonly position: string | null }>(
      claims: readonly Claim[],
      append: () => Promise<T>,
    ): Promise<T> => {
      const held = claims.map(keyed)
      await takeAll(held)
      try {
        const result = await append()
        await confirmOrRelease(held.map((each) => ({ ...each, position: result.position })))
        return result
      } catch (error) {
        // If the append may still happen, the claims stay until they expire.
        if (error instanceof DomainError && error.code !== 'ERR_UNAVAILABLE') await release(held)
        throw error
      }
    },

    /** Removes claims whose values are now in the read models. */
    sweep: async (): Promise<void> => {
      await pool.query(
        `delete from work.reservation where position <= (select position from checkpoint where name = 'core')`,
      )
    },
  }
}

export type Reservations = ReturnType<typeof reservations>
