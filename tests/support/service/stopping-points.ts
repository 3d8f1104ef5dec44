/**
 * Halts the log in Postgres before it records the n-th event of some kinds, so that a test can kill the service at
 * exactly that step: as if the append had not arrived, or had been recorded without an answer.
 */
import pg from 'pg'

/** Of the advisory lock that the halted append waits for. */
const HALT = 471_100

const TRIGGER = `
  create schema stopping;
  create sequence stopping.seen;
  create table stopping.armed (at bigint not null);
  create function stopping.halt() returns trigger language plpgsql as $$
  begin
    if new.type like any (array['access_request.%', 'access_review.%', 'package_assignment.%', 'membership.%'])
      and exists (select from stopping.armed) then
      if nextval('stopping.seen') = (select at from stopping.armed) then
        perform pg_advisory_xact_lock(${String(HALT)});
      end if;
    end if;
    return new;
  end $$;
  create trigger halt before insert on log.event for each row execute function stopping.halt();`

const WAITING = `from pg_locks where locktype = 'advisory' and objid = ${String(HALT)} and not granted`

export interface StoppingPoints {
  /** Halts before the n-th event of requests, reviews, assignments and memberships from now on. */
  readonly arm: (n: number) => Promise<void>
  /** Whether an append is halted. */
  readonly reached: () => Promise<boolean>
  /** Lets the halted append go on, or makes it fail; nothing is halted any more. */
  readonly release: (how: 'recorded' | 'lost') => Promise<void>
  /** How many events of each of those types came after a position. */
  readonly eventsAfter: (position: string) => Promise<Readonly<Record<string, number>>>
  readonly position: () => Promise<string>
  readonly close: () => Promise<void>
}

export const stoppingPoints = async (databaseUrl: string): Promise<StoppingPoints> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(TRIGGER)
  return {
    arm: async (n) => {
      await client.query(`select pg_advisory_lock(${String(HALT)})`)
      await client.query(`select setval('stopping.seen', 1, false)`)
      await client.query('insert into stopping.armed values ($1)', [n])
    },
    reached: async () => (await client.query(`select ${WAITING}`)).rows.length > 0,
    release: async (how) => {
      await client.query('delete from stopping.armed')
      if (how === 'lost') await client.query(`select pg_terminate_backend(pid) ${WAITING}`)
      await client.query(`select pg_advisory_unlock(${String(HALT)})`)
    },
    position: async () => {
      const { rows } = await client.query<{ position: string }>('select position from log.head')
      return rows[0]?.position ?? '0'
    },
    eventsAfter: async (position) => {
      const { rows } = await client.query<{ type: string; n: number }>(
        `select type, count(*)::int as n from log.event where position > $1
           and type like any (array['access_request.%', 'access_review.%', 'package_assignment.%', 'membership.%'])
         group by type order by type`,
        [position],
      )
      return Object.fromEntries(rows.map(({ type, n }) => [type, n]))
    },
    close: () => client.end(),
  }
}
