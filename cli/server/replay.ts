import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { instantOf } from '../../adapters/inbound/http/schemas.ts'
import { rootAt } from '../../adapters/engines/audit/root-at.ts'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import { migrateSchema } from '../../adapters/engines/postgres/migrate.ts'
import { openPool, outlivesConnections } from '../../adapters/engines/postgres/pool.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Instant } from '../../domain/time.ts'
import { replayer } from '../../projections/rebuild.ts'
import { createSchema, READ_MODELS } from '../../read-models/schema.ts'
import { inTransaction } from '../../read-models/transaction.ts'
import type { Config } from './config.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { withStorage } from './offline.ts'
import { countUpTo, placeOfTime, type PlaceInLog } from './place-in-log.ts'
import { readModelConsumers } from './consumers.ts'
import { migrateLasting, openLog } from './storage.ts'

/** Where to stop: at a time, or at a log position. */
export type Until = { readonly time: Instant } | { readonly position: string }

/**
 * Parses the option.
 * @throws CliError for an invalid time
 */
export const untilOf = (text: string): Until => {
  if (!/^\d{4}-\d\d-\d\d[Tt ]/.test(text)) return { position: text }
  try {
    return { time: instantOf(text, '--until') }
  } catch (error) {
    throw error instanceof DomainError ? new CliError(exitCodes.usage, error.message) : error
  }
}

export interface ReplayReport extends PlaceInLog {
  /** Root hash of the audit tree up to that position, base64; null until the tree reaches it */
  readonly rootHash: string | null
  readonly seconds: number
  /** Whether the database is now read-only */
  readonly readOnly: boolean
}

/** The current step and its progress. */
export type Progress = (what: 'finding the position' | 'replaying', done: number) => void

const STATEMENT_TIMEOUT_MS = 10 * 60_000

const mustBeEmpty = async (pool: pg.Pool): Promise<void> => {
  const { rows } = await pool
    .query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)' limit 1`,
    )
    .catch((error: unknown) => {
      const why = error instanceof Error && error.message !== '' ? error.message : 'no answer'
      throw new CliError(exitCodes.unreachable, `The database of --into is unavailable: ${why}`)
    })
  const [first] = rows
  if (first !== undefined)
    throw new CliError(
      exitCodes.usage,
      `--into: expected an empty database, but it contains ${first.name}. Create one: createdb svc_past`,
    )
}

/** Read models of a past time must be neither changed nor served. */
const closeForWriting = async (pool: pg.Pool, about: string): Promise<boolean> => {
  try {
    await pool.query(
      `do $do$ begin
         execute format('comment on database %I is %L', current_database(), '${about}');
         execute format('alter database %I set search_path to ${READ_MODELS}', current_database());
         execute format('alter database %I set default_transaction_read_only to on', current_database());
       end $do$`,
    )
    return true
  } catch (error) {
    // Only the owner of the database may set this.
    if ((error as { code?: unknown }).code === '42501') return false
    throw error
  }
}

/**
 * Replays the log up to a time or position into the read models of an empty database. The service and its read models
 * are not affected. Data that was erased since is missing too.
 * @param into URL of a Postgres database
 * @throws CliError for a database that is not empty, and a position that the log does not have
 */
export const replayInto = (
  config: Config,
  log: Log,
  { until, into, progress = () => undefined }: { until: Until; into: string; progress?: Progress },
): Promise<ReplayReport> =>
  withStorage(config, log, async (storage) => {
    const started = performance.now()
    const target = openPool(into, READ_MODELS, {
      max: 4,
      statementTimeout: STATEMENT_TIMEOUT_MS,
      idleTransactionTimeout: STATEMENT_TIMEOUT_MS,
    })
    const workPool = outlivesConnections(new pg.Pool({ connectionString: storage.databaseUrl, max: 2 }))
    const opened: (() => Promise<unknown>)[] = [() => target.end(), () => workPool.end()]
    try {
      await mustBeEmpty(target)
      await migrateLasting(storage)
      const eventLog = await openLog(storage, log)
      opened.unshift(() => eventLog.close())
      const counted = (what: Parameters<Progress>[0]) => {
        let done = 0
        return (events: number): void => {
          progress(what, (done += events))
        }
      }

      const head = await eventLog.head()
      if ('position' in until && (until.position > head || !/^[\w/:.-]+$/.test(until.position)))
        throw new CliError(
          exitCodes.usage,
          `--until: expected a time, or a log position up to ${head === '' ? 'nothing' : head}`,
        )
      const looked = counted('finding the position')
      const place =
        'time' in until
          ? await placeOfTime(eventLog, until.time, looked)
          : { position: until.position, events: await countUpTo(eventLog, until.position, looked) }

      const vault = await openVault({
        pool: workPool,
        secretKey: storage.secretKey,
        now: () => new Date(),
        random: randomBytes,
      })
      await inTransaction(target, (client) => createSchema(client, READ_MODELS))
      // Some lists read last uses from schema work, because they are not events.
      await migrateSchema(target, 'work')
      for (const consumer of readModelConsumers(eventLog, eventSerializer(vault)))
        await replayer(target, consumer, READ_MODELS, { replayed: counted('replaying') }).catchUp(
          place.position,
        )

      const rootHash = await rootAt(workPool, place.position)
      const about = `svc replay until ${'time' in until ? until.time : until.position}: position ${place.position}, root ${rootHash ?? 'unknown'}`
      return {
        ...place,
        rootHash,
        readOnly: await closeForWriting(target, about.replaceAll("'", '')),
        seconds: (performance.now() - started) / 1000,
      }
    } finally {
      for (const close of opened) await close()
    }
  })
