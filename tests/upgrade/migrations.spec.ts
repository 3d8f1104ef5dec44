/** The migrations of the durable schemas, from every released shape, and what a release does with a later one. */
import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import {
  appliedMigrations,
  lastingSchemas,
  migrateSchema,
  migrateWithin,
  migrationsOf,
  type LastingSchema,
} from '../../adapters/engines/postgres/migrate.ts'
import { programVersion } from '../../adapters/kernel/project.ts'
import { testDatabase, type TestDatabase } from '../support/service/postgres.ts'
import { runSvc } from '../support/service/processes.ts'
import { testPlace, testService, type TestPlace } from '../support/service/service.ts'
import { shapeOf } from '../support/upgrade/shape.ts'

const data = new URL('./data/', import.meta.url)
const linesOf = (name: string): readonly string[] =>
  readFileSync(new URL(name, data), 'utf8').trimEnd().split('\n')

/** `<schema>/<name>` of each migration with its digest at release. */
const frozen = new Map(
  linesOf('migrations.txt').map((line) => {
    const [digest = '', name = ''] = line.split('  ')
    return [name, digest]
  }),
)
const releases = readdirSync(data)
  .filter((name) => name.endsWith('.shape.txt'))
  .map((name) => name.slice(0, -'.shape.txt'.length))

const shapes = async (pool: pg.Pool): Promise<readonly string[]> =>
  (await Promise.all(lastingSchemas.map((schema) => shapeOf(pool, schema)))).flat().sort()

describe('Migrations of the log, the vault, the working tables and the audit proof', function () {
  this.timeout(60_000)
  let database: TestDatabase
  let pool: pg.Pool
  beforeEach(async () => {
    database = await testDatabase()
    pool = new pg.Pool({ connectionString: database.url })
  })
  afterEach(async () => {
    await pool.end()
    await database.drop()
  })

  const applied = (schema: LastingSchema) => appliedMigrations(pool, schema)
  const migrateAll = async (): Promise<readonly string[]> => {
    const names: string[] = []
    for (const schema of lastingSchemas) names.push(...(await migrateSchema(pool, schema)))
    return names
  }
  /** The database as the first release left it: its tables, and no record of migrations. */
  const firstRelease = async (): Promise<void> => {
    const client = await pool.connect()
    await client.query('begin')
    for (const schema of lastingSchemas) {
      const [first] = await migrationsOf(schema)
      await migrateWithin(client, schema, first?.name)
      await client.query(`drop table ${schema}.migration`)
    }
    await client.query('commit')
    client.release()
  }

  it('never change once they are released', async () => {
    const carried = new Map<string, string>()
    for (const schema of lastingSchemas)
      for (const { name, checksum } of await migrationsOf(schema)) carried.set(`${schema}/${name}`, checksum)
    expect(
      [...carried].filter(([name]) => !frozen.has(name)).map(([name, digest]) => `${digest}  ${name}`),
      'new migrations need these lines in tests/upgrade/data/migrations.txt',
    ).to.deep.equal([])
    expect(
      [...frozen].filter(([name, digest]) => carried.get(name) !== digest).map(([name]) => name),
      'a released migration was edited or removed: put it back and add another',
    ).to.deep.equal([])
    for (const name of carried.keys()) expect(name).to.match(/^[a-z]+\/\d{4}_[a-z_]+$/)
  })

  it('are recorded with their version, and run once even if two processes start at the same time', async () => {
    await Promise.all([migrateAll(), migrateAll()])
    expect(await migrateAll()).to.deep.equal([])
    for (const schema of lastingSchemas)
      expect(await applied(schema)).to.deep.equal(
        (await migrationsOf(schema)).map(({ name }) => ({ name, version: programVersion() })),
      )
  })

  it('upgrade a database of the first release, which recorded none', async () => {
    await firstRelease()
    expect(await shapes(pool)).to.deep.equal([...linesOf('0.1.0.shape.txt')].sort())
    for (const schema of lastingSchemas)
      expect((await applied(schema)).map(({ version }) => version)).to.deep.equal(['0.1.0'])
    await migrateAll()
    for (const schema of lastingSchemas) {
      const [first, ...others] = await applied(schema)
      expect(first?.version).to.equal('0.1.0')
      for (const { version } of others) expect(version).to.equal(programVersion())
    }
    const upgraded = await shapes(pool)
    const fresh = await testDatabase()
    const freshPool = new pg.Pool({ connectionString: fresh.url })
    for (const schema of lastingSchemas) await migrateSchema(freshPool, schema)
    expect(upgraded).to.deep.equal(await shapes(freshPool))
    await freshPool.end()
    await fresh.drop()
  })

  it('only add: everything that a release reads and writes exists in the shape of the next', async () => {
    await migrateAll()
    const present = await shapes(pool)
    const tableOf = (line: string): string => /^(?:column|table) (\w+\.\w+)/.exec(line)?.[1] ?? ''
    for (const release of releases) {
      const former = linesOf(`${release}.shape.txt`).filter((line) => tableOf(line) !== '')
      for (const line of former) expect(present, `${release} relies on it`).to.include(line)
      const tables = new Set(former.map(tableOf))
      for (const line of present.filter((each) => tables.has(tableOf(each)) && !former.includes(each)))
        expect(line, `${release} writes rows without it`).to.match(/^(?!.* not null)|.* default /)
    }
  })
})

describe('A database that a later release upgraded', function () {
  this.timeout(120_000)
  let place: TestPlace
  beforeEach(async () => {
    place = await testPlace()
  })
  afterEach(() => place.drop())

  const run = (...args: readonly string[]) =>
    runSvc(
      args,
      { databaseUrl: place.databaseUrl, secretKey: place.config.secretKey ?? '' },
      {
        SVC_PUBLIC_URL: place.config.publicUrl,
        SVC_LOG_LEVEL: 'silent',
        ...(place.config.eventStore.kind === 'eventstoredb'
          ? { SVC_EVENTSTORE_URL: place.config.eventStore.url }
          : {}),
      },
    )
  const query = async (sql: string, values: readonly unknown[] = []): Promise<readonly unknown[]> => {
    const client = new pg.Client({ connectionString: place.databaseUrl })
    await client.connect()
    const { rows } = await client.query<Record<string, unknown>>(sql, [...values])
    await client.end()
    return rows
  }
  const refused = {
    code: 2,
    output: 'svc: This database was upgraded by svc 0.10.0. Run svc 0.10.0 or newer.\n',
  }

  for (const schema of lastingSchemas)
    it(`is rejected in one line before anything is changed: a migration of ${schema}`, async function () {
      if (schema === 'log' && place.config.eventStore.kind === 'eventstoredb') this.skip()
      for (const [name, version] of [
        ['9998_later', '0.9.0'],
        ['9999_latest', '0.10.0'],
      ])
        await query(`insert into ${schema}.migration values ($1, '', $2, now())`, [name, version])
      // Present in every database of this release: a start that changed anything would create it again.
      await query('drop table work.event_type')
      expect(await run('serve')).to.deep.equal(refused)
      expect(await run('migrate')).to.deep.equal(refused)
      expect(await query(`select to_regclass('work.event_type') as made`)).to.deep.equal([{ made: null }])
    })

  for (const [type, schema] of [
    ['user.teleported', 1],
    ['user.invited', 99],
  ] as const)
    it(`is rejected in one line before anything is changed: event ${type} of schema ${String(schema)}`, async () => {
      await query('insert into work.event_type values ($1, $2, $3)', [type, schema, '0.10.0'])
      expect(await run('serve')).to.deep.equal(refused)
    })

  it('does not disturb a running instance of this release', async () => {
    const service = await testService(place)
    const admin = await service.person({}, ['global_admin'])
    await query(`insert into work.migration values ('9999_later', '', '0.10.0', now())`)
    await query(`insert into work.event_type values ('user.teleported', 1, '0.10.0')`)
    const { status } = await service.api('POST', '/groups', { as: admin, body: { name: 'Still here' } })
    expect(status).to.equal(201)
    await service.stop()
    expect((await run('serve')).code).to.equal(2)
  })
})

describe('The table of event types', function () {
  this.timeout(60_000)

  it('has every type and version in the log, with the release that wrote it first', async () => {
    const place = await testPlace()
    for (let starts = 0; starts < 2; starts++) {
      const service = await testService(place)
      const admin = await service.person({}, ['global_admin'])
      await service.api('POST', '/groups', { as: admin, body: { name: `Group ${String(starts)}` } })
      const inLog = new Set<string>()
      for (const { type, metadata } of await service.core.eventLog.readAll('' as never, 10_000))
        inLog.add(`${type} ${JSON.stringify(metadata['schema'])} ${programVersion()}`)
      const { rows } = await service.core.workPool.query<{ row: string }>(
        `select type || ' ' || schema || ' ' || first_written_by as row from work.event_type`,
      )
      expect(rows.map(({ row }) => row).sort()).to.deep.equal([...inLog].sort())
      await service.stop()
    }
    await place.drop()
  })
})
