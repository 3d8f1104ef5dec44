/**
 * `work.event_type` lists the event types and schema versions in the log. Each is recorded there before its first
 * append, so the table has every one that releases after 0.1.0 have written. A release that does not know all of them
 * would misread the log.
 */
import type pg from 'pg'
import { isEventType, rowOf } from '../../../domain/catalogue.ts'
import { newestVersion } from '../postgres/migrate.ts'
import { programVersion } from '../../kernel/project.ts'
import { EventLogUnavailable, type EventLog, type NewEvent } from './event-log.ts'

interface WrittenType {
  readonly type: string
  readonly schema: number
}

const nameOf = ({ type, schema }: WrittenType): string => `${type} ${String(schema)}`

const writtenTypesOf = (events: readonly NewEvent[]): readonly WrittenType[] =>
  events.flatMap(({ type, metadata: { schema } }) => (typeof schema === 'number' ? [{ type, schema }] : []))

/**
 * Returns a log that records new types before it appends: at most one statement per type and process.
 * @param pool the database with schema `work`
 */
export const notingEventTypes = (log: EventLog, pool: pg.Pool): EventLog => {
  let noted: Set<string> | undefined

  const note = async (events: readonly NewEvent[]): Promise<void> => {
    const known = noted
    const isNew = (written: WrittenType): boolean => known?.has(nameOf(written)) !== true
    const fresh = writtenTypesOf(events).filter(isNew)
    if (fresh.length === 0) return
    try {
      await pool.query(
        `insert into work.event_type (type, schema, first_written_by)
         select distinct type, schema, $3 from unnest($1::text[], $2::int[]) as t (type, schema)
         on conflict do nothing`,
        [fresh.map(({ type }) => type), fresh.map(({ schema }) => schema), programVersion()],
      )
      const { rows } = await pool.query<WrittenType>('select type, schema from work.event_type')
      noted = new Set(rows.map(nameOf))
    } catch (cause) {
      throw new EventLogUnavailable('a new event type could not be registered: nothing was appended', {
        cause,
      })
    }
  }

  return {
    ...log,
    append: async (stream, expected, events) => {
      await note(events)
      return log.append(stream, expected, events)
    },
    appendMany: async (appends) => {
      try {
        await note(appends.flatMap(({ events }) => events))
      } catch (error) {
        if (error instanceof EventLogUnavailable) return appends.map(() => error)
        throw error
      }
      return log.appendMany(appends)
    },
  }
}

/** Returns the release that wrote event types or versions which this release does not know; null if all are known. */
export const writtenBeyond = async (client: pg.ClientBase | pg.Pool): Promise<string | null> => {
  const { rows: found } = await client.query<{ there: boolean }>(
    `select to_regclass('work.event_type') is not null as there`,
  )
  if (found[0]?.there !== true) return null
  const { rows } = await client.query<WrittenType & { first_written_by: string }>(
    'select type, schema, first_written_by from work.event_type',
  )
  const unknown = rows.filter(({ type, schema }) => !isEventType(type) || schema > rowOf(type).schema)
  return newestVersion(unknown.map((row) => row.first_written_by))
}
