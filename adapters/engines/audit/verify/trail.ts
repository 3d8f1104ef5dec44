/** Compares the audit trail with its events. */
import type pg from 'pg'
import type { Recorded } from '../../../../domain/catalogue.ts'
import { retentionOf } from '../../../../domain/retention.ts'
import { categoryOf } from '../../event-log/event-log.ts'
import type { Serializer } from '../../event-log/serializer.ts'
import type { deletable, LeafEvent } from './leaves.ts'
import type { Findings } from './findings.ts'
import { compareRows, type Difference, type ExpectedRow, type Row } from './rows.ts'

/** The rows that an event makes in the audit trail's tables. */
export type Makes = (event: Recorded) => { readonly entries: readonly Row[]; readonly names: readonly Row[] }

const MOST_OF_PEOPLE = 10_000

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const entries = {
  table: 'audit_events',
  keyOf: (row: Row) => text(row['position']),
  positionOf: (row: Row) => text(row['position']),
  nameOf: (row: Row) => text(row['id']),
}
const names = {
  table: 'audit_names',
  keyOf: (row: Row) => `${text(row['from_position'])} ${text(row['id'])}`,
  positionOf: (row: Row) => text(row['from_position']),
  nameOf: (row: Row) => text(row['id']),
}

export interface TrailCheck {
  /** Returns the rows of the entries between two positions; the first is exclusive. */
  readonly entriesIn: (after: string, upTo: string) => Promise<readonly Row[]>
  /** Projects these events and compares the result with the stored rows, and with the names at the same positions. */
  readonly compare: (
    events: readonly LeafEvent[],
    stored: readonly Row[],
    after: string,
    upTo: string,
  ) => Promise<void>
  /** @param last position of the last event */
  readonly end: (last: string) => Promise<void>
  /** Number of compared entries */
  readonly count: () => number
}

export const trailCheck = async (
  deps: {
    readonly client: pg.ClientBase
    readonly serializer: Serializer
    readonly makes: Makes
    /** As `deletable` returns it */
    readonly mayBeGone: ReturnType<typeof deletable>
  },
  findings: Findings,
): Promise<TrailCheck> => {
  const { client, serializer, makes, mayBeGone } = deps
  const { rows: checkpoints } = await client.query<{ position: string }>(
    `select position from checkpoint where name = 'audit'`,
  )
  const reached = checkpoints[0]?.position ?? ''
  /** Positions of erasures, by user */
  const erased = new Map<string, string>()
  /** Findings about a user's names are reported only once it is clear that the user was not erased meanwhile. */
  const ofPeople: Difference[] = []
  let count = 0

  const rowsOf = async (
    table: string,
    column: string,
    after: string,
    upTo: string,
  ): Promise<readonly Row[]> => {
    const { rows } = await client.query<Row>(
      `select * from ${table} where ${column} > $1 and ${column} <= $2`,
      [after, upTo],
    )
    return rows
  }

  /** If one event cannot be decrypted, all are decrypted one by one, so that the others are still compared. */
  const open = async (events: readonly LeafEvent[]): Promise<readonly Recorded[]> => {
    try {
      return await serializer.open(events)
    } catch {
      const opened: Recorded[] = []
      for (const event of events)
        try {
          opened.push(...(await serializer.open([event])))
        } catch (error) {
          findings.add('integrity', 'log.event', error instanceof Error ? error.message : String(error), {
            position: event.position,
            stream: event.stream,
            eventId: event.id,
          })
        }
      return opened
    }
  }

  const isOld = ({ stream, metadata: { time } }: Recorded): boolean =>
    mayBeGone({ kept: retentionOf(categoryOf(stream)), recorded: String(Date.parse(time) * 1000) })

  const tell = ({ finding: { verdict, table, what, ...where } }: Difference): void => {
    findings.add(verdict, table, what, where)
  }

  return {
    entriesIn: (after, upTo) => rowsOf('audit_events', 'position', after, upTo),
    compare: async (events, stored, after, upTo) => {
      const opened = await open(events)
      const made = { entries: [] as ExpectedRow[], names: [] as ExpectedRow[] }
      for (const event of opened) {
        if (event.type === 'user.erased') erased.set(event.data.userId, event.position)
        if (event.position > reached) continue
        const rows = makes(event)
        const old = isOld(event)
        for (const row of rows.entries) made.entries.push({ row, origin: event, mayBeGone: old })
        for (const row of rows.names) made.names.push({ row, origin: event, mayBeGone: false })
      }
      count += made.entries.length
      for (const each of compareRows(entries, made.entries, stored)) tell(each)
      for (const each of compareRows(
        names,
        made.names,
        await rowsOf('audit_names', 'from_position', after, upTo),
      ))
        if (text(each.row['subject_id']) === '') tell(each)
        else if (ofPeople.length < MOST_OF_PEOPLE) ofPeople.push(each)
    },
    end: async (last) => {
      const { rows: alive } = await client.query<{ subject: string }>(
        'select subject from vault.person_key where wrapped is not null and subject = any($1)',
        [[...erased.keys()]],
      )
      const beingErased = new Set([
        ...alive.map(({ subject }) => subject),
        ...[...erased].filter(([, position]) => position > reached).map(([subject]) => subject),
      ])
      for (const each of ofPeople) if (!beingErased.has(text(each.row['subject_id']))) tell(each)
      const { rows: destroyed } = await client.query<{ subject: string }>(
        `select subject from vault.person_key where wrapped is null and subject <> all($1) order by subject limit 20`,
        [[...erased.keys()]],
      )
      for (const { subject } of destroyed)
        findings.add(
          'completeness',
          'vault.person_key',
          `the key of ${subject} is missing, but the user was not erased`,
        )
      if (reached > last)
        findings.add(
          'completeness',
          'checkpoint',
          `the audit trail checkpoint is ${reached}, past the last event`,
        )
      for (const [of, column] of [
        [entries, 'position'],
        [names, 'from_position'],
      ] as const)
        for (const each of compareRows(of, [], await rowsOf(of.table, column, last, '\u{10FFFF}'))) tell(each)
    },
    count: () => count,
  }
}
