import { expect } from 'chai'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Verification } from '../../adapters/engines/audit/verify/verify.ts'
import { verifyLive } from '../../cli/server/audit.ts'
import type { Config } from '../../cli/server/config.ts'
import { auditHistory, auditCaughtUp, type AuditHistory } from '../support/audit/audit-history.ts'
import {
  recordingLog,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { random } from '../support/random.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

const ENTRIES = `${READ_MODELS}.audit_events`

/** Every column of the tables that the proof covers, with the key that identifies rows. */
const tables = new Map<string, { readonly key: string; readonly not: readonly string[] }>(
  Object.entries({
    'log.event': { key: 'id', not: [] },
    'log.stream': { key: 'name', not: [] },
    'log.head': { key: 'only_one', not: ['only_one'] },
    [ENTRIES]: { key: 'id', not: [] },
    [`${READ_MODELS}.audit_names`]: { key: 'id, from_position', not: [] },
    'proof.tree': { key: 'only_one', not: ['only_one'] },
    'proof.tile': { key: 'level, index', not: [] },
    'proof.open_hash': { key: 'level, index', not: [] },
    'proof.key': { key: 'name', not: [] },
    'proof.checkpoint': { key: 'size', not: [] },
  }),
)

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
}

/** SQL for a value that differs from the current one in one byte, by column type. */
const bent: Readonly<Record<string, (column: string, at: number) => string>> = {
  text: (c, at) =>
    `overlay(${c} placing case when substr(${c}, 1 + ${String(at)} % length(${c}), 1) = '~' then '!' else '~' end
      from 1 + ${String(at)} % length(${c}) for 1)`,
  bytea: (c, at) =>
    `set_byte(${c}, ${String(at)} % length(${c}), get_byte(${c}, ${String(at)} % length(${c})) # ${String(1 << (at % 8))})`,
  bigint: (c, at) => `${c} # ${String(2 ** (at % 20))}`,
  smallint: (c) => `(${c} # 4)::smallint`,
  uuid: (c, at) =>
    `overlay(${c}::text placing case when substr(${c}::text, ${String(1 + (at % 8))}, 1) = '0' then '1' else '0' end
      from ${String(1 + (at % 8))} for 1)::uuid`,
  'timestamp with time zone': (c, at) => `${c} + interval '${String(2 ** (at % 40))} microseconds'`,
}

const arrayBent = (column: string, at: number, udt: string): string => {
  const one = `${column}[1 + ${String(at % 256)}]`
  const change = udt === '_int8' ? `(${one} # 1)` : `overlay(${one} placing '~' from 1 for 1)`
  return `${column}[1:${String(at % 256)}] || ${change} || ${column}[${String((at % 256) + 2)}:256]`
}

const changed = (column = '', type = '', udt = '', at = 0): string => {
  const value = type === 'ARRAY' ? arrayBent(column, at, udt) : bent[type]?.(column, at)
  if (value === undefined) throw new Error(`no way to change ${type}`)
  return value
}

describe('Tampering with the log and its proof', function () {
  this.timeout(600_000)
  let place: TestPlace
  let db: pg.Client
  let history: AuditHistory
  let config: Config

  before(async function () {
    if (process.env['SVC_TEST_EVENTSTORE_URL'] !== undefined) this.skip()
    place = await testPlace()
    config = place.config
    const service = await testService(place)
    history = await auditHistory(service)
    // Otherwise the service would process the tampered rows.
    await service.stop()
    db = new pg.Client({ connectionString: place.databaseUrl })
    await db.connect()
  })
  after(async () => {
    await db?.end()
    await place?.drop()
  })

  const verify = (checkpoint: readonly string[] = [], now?: Date): Promise<Verification> =>
    verifyLive(config, recordingLog(), { key: undefined, checkpoint }, now)

  const expectHeld = async (): Promise<Verification> => {
    const verification = await verify()
    expect(verification.findings).to.deep.equal([])
    expect([verification.integrity.ok, verification.completeness.ok]).to.deep.equal([true, true])
    return verification
  }

  /** Changes the database, runs the verification, and restores the database. */
  const tampered = async (...statements: readonly string[]): Promise<Verification> => {
    const copies = [...tables.keys()]
    await db.query('begin; set local session_replication_role = replica')
    for (const [i, table] of copies.entries())
      await db.query(`create temp table copy_${String(i)} as table ${table}`)
    await db.query('commit')
    try {
      for (const statement of statements) await db.query(statement)
      return await verify()
    } finally {
      await db.query('begin')
      for (const [i, table] of copies.entries()) {
        await db.query(`delete from ${table}`)
        await db.query(`insert into ${table} select * from copy_${String(i)}`)
        await db.query(`drop table copy_${String(i)}`)
      }
      await db.query('commit')
    }
  }

  /** Whether changing a value violates no constraint, which would also prevent the change. */
  const harmless = async (...[table, column, type, udt, row]: readonly string[]): Promise<number> => {
    for (;;) {
      const at = Math.floor(random() * 1_000_000)
      await db.query('begin')
      try {
        await db.query(
          `update ${table} set ${column} = ${changed(column, type, udt, at)} where ctid = '${row}'`,
        )
        return at
      } catch (error) {
        if ((error as { code?: string }).code !== '23505') throw error
      } finally {
        await db.query('rollback')
      }
    }
  }

  it('AUD-01 EVT-03 the recorded events verify, including those of the erased user, and nothing is pending', async () => {
    const verification = await expectHeld()
    const { rows } = await db.query<{ n: number }>('select count(*)::int as n from log.event')
    expect(verification).to.include({ size: rows[0]?.n, pending: 0, expired: 0 })
    expect(verification.size).to.be.greaterThan(256)
    const { rows: entries } = await db.query<{ n: number }>(
      `select count(*)::int as n from ${READ_MODELS}.audit_events`,
    )
    expect(verification.entries).to.equal(entries[0]?.n)
    expect(history.erased.userId).to.match(/^usr_/)
  })

  it('AUD-01 finds any changed byte in any column, and reports its location', async () => {
    const { rows: columns } = await db.query<{
      table: Column['table']
      column: string
      type: string
      udt: string
    }>(
      `select table_schema || '.' || table_name as "table", column_name as "column", data_type as type, udt_name as udt
       from information_schema.columns where table_schema || '.' || table_name = any($1) order by 1, ordinal_position`,
      [[...tables.keys()]],
    )
    expect(new Set(columns.map(({ table }) => table)).size).to.equal(tables.size)
    let tried = 0
    for (const { table, column, type, udt } of columns) {
      const { key, not } = tables.get(table) ?? { key: '', not: [] }
      if (not.includes(column)) continue
      for (let turn = 0; turn < (table === 'log.event' || table === ENTRIES ? 2 : 1); turn++) {
        const { rows } = await db.query<{ place: string }>(
          `select ctid::text as place from ${table} where ${column} is not null order by random() limit 1`,
        )
        const row = rows[0]?.place
        if (row === undefined) throw new Error(`${table} has no ${column}`)
        const at = await harmless(table, column, type, udt, row)
        const value = changed(column, type, udt, at)
        const what = `${table}.${column} at ${String(at)}`
        const { rows: before } = await db.query<{ key: string }>(
          `select concat_ws(' ', ${key}) as key from ${table} where ctid = '${row}'`,
        )
        const { findings, integrity, completeness } = await tampered(
          `update ${table} set ${column} = ${value} where ctid = '${row}'`,
        )
        expect(integrity.ok && completeness.ok, `${what} of ${before[0]?.key ?? ''}`).to.equal(false)
        const named = findings.map(
          (each) => `${each.table} ${each.eventId ?? ''} ${each.stream ?? ''} ${each.what}`,
        )
        if (table === 'log.event' && column !== 'id')
          expect(
            findings.some(({ eventId }) => eventId === before[0]?.key),
            `${what}: ${named.join('\n')}`,
          ).to.equal(true)
        else expect(named.join('\n'), what).to.contain(table.replace(`${READ_MODELS}.`, ''))
        tried++
      }
    }
    expect(tried).to.be.greaterThan(50)
    await expectHeld()
  })

  const findingsOf = ({ findings }: Verification): string =>
    findings
      .map((each) => `${each.table} ${each.position ?? ''} ${each.eventId ?? ''} ${each.what}`)
      .join('\n')

  const afterRemoving = async (table: string, where: string): Promise<string> => {
    const verification = await tampered(`delete from ${table} where ${where}`)
    expect(verification.integrity.ok && verification.completeness.ok, table).to.equal(false)
    return findingsOf(verification)
  }

  it('AUD-01 finds and identifies a removed row in any table', async () => {
    const { rows } = await db.query<{ position: string; id: string }>(
      `select e.position, l.id::text from ${READ_MODELS}.audit_events e join log.event l on l.position = e.position::bigint
       order by random() limit 1`,
    )
    const { position, id } = rows[0]!
    expect(await afterRemoving('log.event', `id = '${id}'`)).to.contain(
      `log.event ${position} ${id} the event is missing`,
    )
    expect(await afterRemoving(ENTRIES, `position = '${position}'`)).to.contain(
      `audit_events ${position} ${id} the row of this event is missing`,
    )
    for (const table of [
      `${READ_MODELS}.audit_names`,
      'log.stream',
      'log.head',
      'proof.tile',
      'proof.open_hash',
      'proof.key',
    ])
      expect(
        await afterRemoving(table, `ctid = (select ctid from ${table} order by random() limit 1)`),
      ).to.contain(table.replace(`${READ_MODELS}.`, ''))
    await expectHeld()
  })

  it('AUD-01 finds an event that was replaced by another', async () => {
    const verification = await tampered(
      'delete from log.event where position = 40',
      `insert into log.event select 40, stream, revision + 1000, gen_random_uuid(), type, data, metadata, recorded
       from log.event where position = 41`,
    )
    expect(findingsOf(verification)).to.match(/log\.event 0+40 \S+ the event differs from the recorded event/)
  })

  const CUT = 20
  const padded = (n: number): string => `'${String(n).padStart(19, '0')}'`

  it('AUD-01 finds a tail that was cut off the log, the tree and the audit trail together', async () => {
    const { size } = await expectHeld()
    const keep = size - CUT
    const cutTrail = `delete from ${READ_MODELS}.audit_events where position > ${padded(keep)}`
    const logAlone = await tampered(`delete from log.event where position > ${String(keep)}`)
    expect(logAlone.completeness.findings).to.be.at.least(CUT)
    const trailAlone = await tampered(cutTrail)
    expect(trailAlone.findings[0]?.table).to.equal('audit_events')
    const all = await tampered(
      `delete from log.event where position > ${String(keep)}`,
      `update log.head set position = ${String(keep)}`,
      `delete from log.stream s where not exists (select from log.event e where e.stream = s.name)`,
      `update log.stream s set revision = (select max(e.revision) from log.event e where e.stream = s.name)`,
      cutTrail,
      `delete from ${READ_MODELS}.audit_names where from_position > ${padded(keep)}`,
      `delete from proof.open_hash where position > ${padded(keep)}`,
      `update proof.tree set size = ${String(keep)}, position = ${padded(keep)},
         time = (select metadata::json->>'time' from log.event order by position desc limit 1)`,
      'delete from proof.checkpoint',
    )
    expect(all.completeness.ok).to.equal(false)
    expect(findingsOf(all)).to.include(
      `the signed head covers ${String(size)} events, but there are ${String(keep)}: the last ${String(CUT)} are missing`,
    )
  })

  it('AUD-01 compares the log with a checkpoint that was stored elsewhere', async () => {
    const file = join(config.dataDir, 'checkpoint.txt')
    const service: TestService = await testService(place)
    const { body, status } = await service.api('GET', '/audit/checkpoint', {
      as: history.admin,
      headers: { Accept: 'text/plain' },
    })
    expect(status).to.equal(200)
    await writeFile(file, String(body))
    expect((await verify([file])).findings).to.deep.equal([])
    await service.person()
    await auditCaughtUp(service)
    expect((await verify([file])).findings, 'it has only grown').to.deep.equal([])
    await service.stop()
    const { rows } = await db.query<{ note: string }>('select note from proof.checkpoint order by size')
    expect(
      rows.map(({ note }) => note),
      'the published checkpoint is stored',
    ).to.include(body)
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^\d+$/m, '7'))
    expect(findingsOf(await verify([file]))).to.contain('the given checkpoint has no valid signature')
    await expectHeld()
  })

  it('AUD-01 EVT-03 reports missing events, except those past their retention', async () => {
    const later = new Date(Date.now() + 2 * 365 * 86_400_000)
    const without = async (category: string, now?: Date): Promise<Verification> => {
      const where = `stream like '${category}-%' limit 1`
      await db.query(`create temp table gone as select * from log.event where ${where}`)
      await db.query('delete from log.event where id in (select id from gone)')
      try {
        return await verify([], now)
      } finally {
        await db.query('insert into log.event select * from gone')
        await db.query('drop table gone')
      }
    }
    expect(findingsOf(await without('session'))).to.contain('the event is missing')
    expect(findingsOf(await without('user', later))).to.contain('the event is missing')
    const { findings, expired } = await without('session', later)
    expect([findings, expired]).to.deep.equal([[], 1])
  })
})
