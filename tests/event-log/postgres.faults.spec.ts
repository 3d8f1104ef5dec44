/** Faults that only Postgres can produce. */
import { expect } from 'chai'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { EventIdTaken, EventLogUnavailable } from '../../adapters/engines/event-log/event-log.ts'
import type { EventLog } from '../../adapters/engines/event-log/event-log.ts'
import { openEventLog } from '../../adapters/engines/event-log/open.ts'
import { openPostgresLog, preparePostgresLog } from '../../adapters/engines/event-log/postgres.ts'
import { startEmbeddedPostgres } from '../../adapters/engines/postgres/embedded.ts'
import type { EmbeddedPostgres } from '../../adapters/engines/postgres/embedded.ts'
import { testDatabase } from '../support/service/postgres.ts'
import type { TestDatabase } from '../support/service/postgres.ts'
import { expectOrdered, newEvent, newStream, readOn, rejection, until } from './helpers.ts'

const SLOW_SOMETIMES = `
create function pause_sometimes() returns trigger language plpgsql as $$
begin
  if random() < 0.3 then perform pg_sleep(random() * 0.02); end if;
  return new;
end $$`

describe('event log in Postgres, under faults', function () {
  this.timeout(60_000)
  let database: TestDatabase
  let admin: pg.Client
  let logs: EventLog[]
  const open = async (): Promise<EventLog> => {
    const log = await openPostgresLog({ connectionString: database.url, retention: () => null })
    logs.push(log)
    return log
  }

  beforeEach(async () => {
    database = await testDatabase()
    admin = new pg.Client({ connectionString: database.url })
    await admin.connect()
    logs = []
  })
  afterEach(async () => {
    await Promise.all(logs.map((log) => log.close()))
    await admin.end()
    await database.drop()
  })

  it('EVT-01 with positions from a sequence, a reader of "position > last" skips late commits', async () => {
    await admin.query('create table naive (position bigserial primary key)')
    const [slow, quick] = [
      new pg.Client({ connectionString: database.url }),
      new pg.Client({ connectionString: database.url }),
    ]
    await Promise.all([slow.connect(), quick.connect()])
    await slow.query('begin; insert into naive default values')
    await quick.query('insert into naive default values')
    const seen: string[] = []
    const read = async (): Promise<void> => {
      const sql = 'select position from naive where position > $1 order by position'
      const { rows } = await admin.query<{ position: string }>(sql, [seen.at(-1) ?? '0'])
      seen.push(...rows.map(({ position }) => position))
    }
    await read()
    await slow.query('commit')
    await read()
    const { rows } = await admin.query('select position from naive')
    expect(rows).to.have.length(2)
    expect(seen).to.deep.equal(['2'])
    await Promise.all([slow.end(), quick.end()])
  })

  it('EVT-01 skips no event even if some appends commit slowly', async () => {
    const [one, two] = [await open(), await open()]
    await admin.query(SLOW_SOMETIMES)
    await admin.query(
      'create trigger slow before insert on log.event for each row execute function pause_sometimes()',
    )
    const reader = readOn(two, await one.head(), 7)
    const written: string[] = []
    await Promise.all(
      [one, two, one, two].map(async (log) => {
        for (let n = 0; n < 50; n++) {
          const event = newEvent()
          await log.append(newStream(), 'no_stream', [event])
          written.push(event.id)
        }
      }),
    )
    await until(() => reader.events.length >= written.length)
    expectOrdered(reader.events)
    expect(reader.events.map(({ id }) => id).sort()).to.deep.equal(written.sort())
    expect(reader.events.map(({ position }) => Number(position))).to.deep.equal(
      Array.from({ length: 200 }, (_, at) => at + 1),
    )
    reader.stop()
  })

  it('EVT-02 repeats an append whose connection is cut while it runs, and records it once', async () => {
    const log = await open()
    await log.append(newStream(), 'no_stream', [newEvent()])
    await admin.query('begin; select from log.head for update')
    const streams = Array.from({ length: 20 }, () => newStream())
    const running = Promise.all(
      streams.map((stream) => log.append(stream, 'no_stream', [newEvent(), newEvent()])),
    )
    const waiting = `select pid from pg_stat_activity where query like '%log.append%' and wait_event_type = 'Lock'`
    await until(async () => (await admin.query(waiting)).rowCount === 1)
    await admin.query(`select pg_terminate_backend(pid) from (${waiting}) w`)
    await admin.query('rollback')
    expect((await running).map(({ revision }) => revision)).to.deep.equal(streams.map(() => 1))
    const { rows } = await admin.query<{ count: string; head: string }>(
      'select count(*), (select position from log.head) as head from log.event',
    )
    expect(rows[0]).to.deep.equal({ count: '41', head: '41' })
  })

  it('EVT-02 fails within 2 s while the log is locked, and does not append later', async () => {
    const log = await open()
    await log.append(newStream(), 'no_stream', [newEvent()])
    await admin.query('begin; select from log.head for update')
    const began = performance.now()
    const results = await log.appendMany(
      Array.from({ length: 10 }, () => ({
        stream: newStream(),
        expected: 'any' as const,
        events: [newEvent()],
      })),
    )
    expect(performance.now() - began).to.be.below(2_000)
    for (const result of results) expect(result).to.be.instanceOf(EventLogUnavailable)
    await admin.query('rollback')
    const certain = results.every((result) => result instanceof EventLogUnavailable && !result.outcomeUnknown)
    await log.append(newStream(), 'no_stream', [newEvent()])
    if (certain) expect(Number(await log.head())).to.equal(2)
  })

  it('EVT-02 rejects appends beyond the limit of waiting ones', async () => {
    const log = await openPostgresLog({
      connectionString: database.url,
      retention: () => null,
      maxWaiting: 5,
    })
    logs.push(log)
    await log.append(newStream(), 'no_stream', [newEvent()])
    const results = await log.appendMany(
      Array.from({ length: 20 }, () => ({
        stream: newStream(),
        expected: 'any' as const,
        events: [newEvent()],
      })),
    )
    expect(results.filter((result) => result instanceof EventLogUnavailable)).to.have.length(15)
  })

  it('EVT-02 accepts an id only once in the whole log, even within one batch', async () => {
    const log = await open()
    const event = newEvent()
    const [first, second] = await log.appendMany([
      { stream: newStream(), expected: 'any', events: [event] },
      { stream: newStream(), expected: 'any', events: [event] },
    ])
    expect(first).to.include({ revision: 0 })
    expect(second).to.be.instanceOf(EventIdTaken)
  })

  it('EVT-02 creates its schema from two concurrent processes, and again', async () => {
    await Promise.all([preparePostgresLog(database.url), preparePostgresLog(database.url)])
    await preparePostgresLog(database.url)
    await (await open()).check()
  })

  it('EVT-02 opens by scheme and never repeats a URL that it does not know', async () => {
    const log = await openEventLog(database.url, { retention: () => null })
    logs.push(log)
    expect(await log.head()).to.equal('')
    const error = await rejection(
      openEventLog('mysql://root:hunter2@localhost/db', { retention: () => null }),
    )
    expect(String(error))
      .to.match(/postgres:\/\//)
      .and.not.include('hunter2')
  })
})

describe('event log in Postgres, with the server failing', function () {
  this.timeout(90_000)
  let dir: string
  let server: EmbeddedPostgres
  let log: EventLog

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-postgres-'))
    server = await startEmbeddedPostgres({ dataDir: dir, log: () => undefined })
    log = await openPostgresLog({ connectionString: server.url, retention: () => null })
  })
  after(async () => {
    await log.close()
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  })

  it('EVT-02 loses nothing it acknowledged when the server is killed under load, and continues', async () => {
    const acknowledged: string[] = []
    const start = await log.head()
    const reader = readOn(log, start)
    let going = true
    const writers = Array.from({ length: 8 }, async () => {
      while (going) {
        const event = newEvent()
        const failed = await rejection(log.append(newStream(), 'no_stream', [event]))
        if (failed === undefined) acknowledged.push(event.id)
      }
    })
    await until(() => acknowledged.length > 200)
    const killed = server.pid()
    if (killed !== undefined) process.kill(killed, 'SIGKILL')
    await until(() => server.pid() !== undefined && server.pid() !== killed)
    const before = acknowledged.length
    await until(() => acknowledged.length > before + 200)
    going = false
    await Promise.all(writers)
    const head = Number(await log.head())
    await until(() => Number(reader.events.at(-1)?.position ?? 0) === head)
    expectOrdered(reader.events)
    expect(reader.events).to.have.length(head - Number(start))
    const recorded = new Set(reader.events.map(({ id }) => id))
    expect(recorded.size).to.equal(reader.events.length)
    expect(acknowledged.filter((id) => !recorded.has(id))).to.deep.equal([])
    reader.stop()
  })

  it('EVT-02 fails within 2 s while the server hangs, and repeating is safe', async function () {
    if (process.platform !== 'linux') this.skip()
    const { stopAll, goOn } = await freezer(server)
    const stream = newStream()
    const events = [newEvent()]
    stopAll()
    try {
      const began = performance.now()
      const error = await rejection(log.append(stream, 'no_stream', events))
      expect(error).to.be.instanceOf(EventLogUnavailable)
      expect(performance.now() - began).to.be.below(2_000)
      expect(await rejection(log.check())).to.be.instanceOf(EventLogUnavailable)
    } finally {
      goOn()
    }
    await until(async () => (await rejection(log.check())) === undefined)
    expect(await log.append(stream, 'no_stream', events)).to.include({ revision: 0 })
    expect(await log.readStream(stream)).to.have.length(1)
  })
})

/** Stops and continues the server with all its backends. */
const freezer = async (server: EmbeddedPostgres): Promise<{ stopAll: () => void; goOn: () => void }> => {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
  await client.end()
  const pids = [...rows.map(({ pid }) => pid), server.pid() ?? 0].filter((pid) => pid > 0)
  const send = (signal: NodeJS.Signals) => (): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal)
      } catch {
        // The process has ended meanwhile.
      }
    }
  }
  return { stopAll: send('SIGSTOP'), goOn: send('SIGCONT') }
}
