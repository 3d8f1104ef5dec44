/**
 * Fresh databases for tests: in the Postgres named by SVC_TEST_DATABASE_URL (its user must be allowed to create
 * databases), else in one embedded Postgres per test process.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../../adapters/engines/postgres/embedded.ts'
import type { EmbeddedPostgres } from '../../../adapters/engines/postgres/embedded.ts'
import { until } from '../until.ts'
import { swiftFolder } from './swift-folder.ts'

export interface TestDatabase {
  readonly url: string
  readonly drop: () => Promise<void>
}

// No test cuts the power, and what a killed server has written survives without a flush. A short WAL that is used again
// touches few new pages of memory, which are slow on a machine that has just started.
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_wal_size: '64MB',
  min_wal_size: '32MB',
  wal_init_zero: 'off',
}

/** A name of whom the server demands a password, for tests that have a wrong one. */
export const STRANGER = 'stranger'

let embedded: Promise<{ server: EmbeddedPostgres; dir: string }> | undefined

const serverUrl = async (): Promise<string> => {
  const configured = process.env['SVC_TEST_DATABASE_URL']
  if (configured !== undefined && configured !== '') return configured
  embedded ??= (async () => {
    const dir = await mkdtemp(join(await swiftFolder(), 'svc-postgres-'))
    await chmod(dir, 0o755)
    // A service opens twenty connections; checking a password would be half the cost of each.
    const trusting = join(dir, 'trust.conf')
    const rules = [
      ...[`local all ${STRANGER} scram-sha-256`, `host all ${STRANGER} 127.0.0.1/32 scram-sha-256`],
      ...['local all all trust', 'host all all 127.0.0.1/32 trust'],
    ]
    await writeFile(trusting, `${rules.join('\n')}\n`)
    const server = await startEmbeddedPostgres({
      dataDir: join(dir, 'data'),
      log: () => undefined,
      settings: { ...settings, hba_file: trusting },
    })
    return { server, dir }
  })()
  return (await embedded).server.url
}

const administer = async (
  url: string,
  work: string | ((client: pg.Client) => Promise<void>),
): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await (typeof work === 'string' ? client.query(work) : work(client))
  } finally {
    await client.end()
  }
}

/** How long closing connections may take. */
const ENDING_MS = 1000

/** Waits for closing connections: if they were cut off, they would log errors during the next test. */
const dropDatabase = async (client: pg.Client, name: string): Promise<void> => {
  const isLeft = async (): Promise<boolean> => {
    const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [name])
    return rowCount === 0
  }
  await until(isLeft, ENDING_MS).catch(() => undefined)
  await client.query(`drop database if exists ${name} with (force)`)
}

/**
 * A new empty database. The first call starts the server; the root hooks stop it.
 * @param template a database to copy instead, without open connections
 */
export const testDatabase = async (template = 'template1'): Promise<TestDatabase> => {
  const server = await serverUrl()
  const name = `test_${randomBytes(6).toString('hex')}`
  // Copies files, where the default would write every page to the WAL too.
  await administer(server, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administer(server, (client) => dropDatabase(client, name)) }
}

const templates: TestDatabase[] = []

/**
 * New databases, each a copy of one that is created on the first request: faster than creating each.
 * @param prepare fills the one to copy, and leaves no connection to it
 */
export const databaseCopies = (prepare: (url: string) => Promise<void>): (() => Promise<TestDatabase>) => {
  let template: Promise<string> | undefined
  return async () => {
    template ??= (async () => {
      const made = await testDatabase()
      templates.push(made)
      await prepare(made.url)
      return new URL(made.url).pathname.slice(1)
    })()
    return testDatabase(await template)
  }
}

export const stopTestPostgres = async (): Promise<void> => {
  for (const template of templates.splice(0)) await template.drop()
  if (embedded === undefined) return
  const started = await embedded.catch(() => undefined)
  embedded = undefined
  if (started === undefined) return
  const { server, dir } = started
  await server.stop()
  await rm(dir, { recursive: true, force: true })
}
