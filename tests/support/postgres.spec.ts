import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import { testDatabase } from './postgres.ts'

describe('embedded Postgres', function () {
  this.timeout(60_000)

  it('EVT-02 starts with nothing installed, writes durably and sorts by code point', async () => {
    const database = await testDatabase()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const settings = await client.query<{ fsync: string; encoding: string; sorted: string[] }>(
      `select current_setting('fsync') as fsync, current_setting('server_encoding') as encoding,
        (select array_agg(x order by x) from unnest('{b,a,B,A,é}'::text[]) x) as sorted`,
    )
    await client.end()
    await database.drop()
    expect(settings.rows[0]?.fsync).to.equal('on')
    expect(settings.rows[0]?.encoding).to.equal('UTF8')
    expect(settings.rows[0]?.sorted).to.deep.equal(['A', 'B', 'a', 'b', 'é'])
  })

  it('EVT-02 has one owner at a time, outlives its killed owner, and is taken over with its data', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-postgres-'))
    const script = fileURLToPath(new URL('./start-postgres.ts', import.meta.url))
    const owner = spawn(process.execPath, ['--import=tsx', script, dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const url = await new Promise<string>((resolve, reject) => {
      owner.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()))
      owner.once('exit', () => reject(new Error('it did not start')))
    })
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    await client.connect()
    await client.query('create table kept (n int); insert into kept values (7)')
    const refused = await startEmbeddedPostgres({ dataDir: dir, log: () => undefined }).then(
      () => '',
      (error: unknown) => String(error),
    )
    expect(refused).to.include(`in use by process ${String(owner.pid)}`)

    const ended = new Promise((resolve) => owner.once('close', resolve))
    owner.kill('SIGKILL')
    await ended
    await client.query('select 1')

    const said: string[] = []
    const server = await startEmbeddedPostgres({ dataDir: dir, log: (text) => said.push(text) })
    expect(said.join()).to.include('left running by an earlier process')
    const again = new pg.Client({ connectionString: server.url })
    await again.connect()
    expect((await again.query('select n from kept')).rows).to.deep.equal([{ n: 7 }])
    await again.end()
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  })
})
