/** Damages a database behind the service's back, one piece at a time, and repairs each again. */
import { expect } from 'chai'
import type pg from 'pg'
import { runSvc, type Setting } from '../service/processes.ts'
import { READ_MODELS } from '../../../read-models/schema.ts'

/** What `svc audit verify --json` prints. */
export interface Verified {
  readonly ok: boolean
  readonly size: number
  readonly pending: number
  readonly integrity: { readonly ok: boolean; readonly findings: number }
  readonly completeness: { readonly ok: boolean; readonly findings: number }
  readonly findings: readonly {
    readonly table: string
    readonly position: string | null
    readonly eventId: string | null
    readonly what: string
  }[]
}

/** @returns what it found, after checking that the exit code agrees */
export const auditVerify = async (setting: Setting): Promise<Verified> => {
  const { code, output } = await runSvc(['audit', 'verify', '--json'], setting)
  const start = output.indexOf('{')
  expect(start, output).to.be.at.least(0)
  const verified = JSON.parse(output.slice(start, output.lastIndexOf('}') + 1)) as Verified
  expect(code, output).to.equal(verified.integrity.ok && verified.completeness.ok ? 0 : 1)
  return verified
}

/** Which rows to damage, and how. */
interface Damage {
  readonly what: string
  readonly table: string
  /** The condition on the rows. */
  readonly where: string
  /** New values of columns; if omitted, the rows are removed. */
  readonly set?: string
  /** The text that each finding must contain. */
  readonly expected: readonly string[]
}

const CUT = 20

const damagesOf = async (db: pg.Client): Promise<readonly Damage[]> => {
  const { rows } = await db.query<{ place: string; id: string }>(
    `select e.position as place, l.id::text from ${READ_MODELS}.audit_events e
       join log.event l on l.position = e.position::bigint order by random() limit 2`,
  )
  const [one, other] = rows
  if (one === undefined || other === undefined) throw new Error('there is nothing to damage')
  const { rows: tail } = await db.query<{ place: string }>(
    `select lpad(position::text, 19, '0') as place from log.event order by position desc limit ${String(CUT)}`,
  )
  const changed = (column: string): string =>
    `${column} = overlay(${column} placing case when substr(${column}, 12, 1) = '~' then '!' else '~' end from 12 for 1)`
  return [
    {
      what: 'a byte of an event',
      table: 'log.event',
      where: `id = '${one.id}'`,
      set: changed('metadata'),
      expected: [`log.event ${one.place} ${one.id}`],
    },
    {
      what: 'a byte of an entry of the audit trail',
      table: `${READ_MODELS}.audit_events`,
      where: `position = '${other.place}'`,
      set: changed('leaf'),
      expected: [`audit_events ${other.place} ${other.id}`],
    },
    {
      what: 'an event removed',
      table: 'log.event',
      where: `id = '${other.id}'`,
      expected: [`log.event ${other.place} ${other.id} the event is missing`],
    },
    {
      what: 'an entry of the audit trail removed',
      table: `${READ_MODELS}.audit_events`,
      where: `position = '${one.place}'`,
      expected: [`audit_events ${one.place} ${one.id} the row of this event is missing`],
    },
    {
      what: 'the tail of the log cut off',
      table: 'log.event',
      where: `position >= ${tail.at(-1)?.place ?? ''}`,
      expected: tail.map(({ place }) => `log.event ${place}`),
    },
  ]
}

/** Causes every kind of damage in turn, and expects `svc audit verify` to find and locate each. */
export const expectDamageFound = async (db: pg.Client, setting: Setting): Promise<void> => {
  for (const { what, table, where, set, expected } of await damagesOf(db)) {
    await db.query(`create temp table kept as select * from ${table} where ${where}`)
    await db.query(
      set === undefined ? `delete from ${table} where ${where}` : `update ${table} set ${set} where ${where}`,
    )
    try {
      const { findings } = await auditVerify(setting)
      const lines = findings.map((each) =>
        [each.table, each.position, each.eventId, each.what].filter((part) => part !== null).join(' '),
      )
      for (const each of expected)
        expect(
          lines.some((line) => line.includes(each)),
          `${what}: ${each} in\n${lines.join('\n')}`,
        ).to.equal(true)
    } finally {
      await db.query(`delete from ${table} where ${where}`)
      await db.query(`insert into ${table} select * from kept`)
      await db.query('drop table kept')
    }
  }
}
