import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { pbkdf2 } from 'node:crypto'
import { chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../../adapters/engines/postgres/embedded.ts'

describe('embedded Postgres', function () {
  this.timeout(60_000)

  it('EVT-02 starts with nothing installed, writes durably and sorts by code point', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-postgres-'))
    const server = await startEmbeddedPostgres({ dataDir: dir, log: () => undefined })
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    const { rows } = await client.query<Record<string, unknown>>(
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits,
        current_setting('server_encoding') as encoding,
        (select array_agg(x order by x) from unnest('{b,a,B,A,é}'::text[]) x) as sorted,
        inet_server_addr() is null as "bySocket"`,
    )
    await client.end()
    await server.stop()
    await rm(dir, { recursive: true, force: true })
    expect(rows).to.deep.equal([
      { fsync: 'on', commits: 'on', encoding: 'UTF8', sorted: ['A', 'B', 'a', 'b', 'é'], bySocket: true },
    ])
  })

  it('EVT-02 always accepts TCP, and uses a socket unless its path would be too long', async () => {
    const short = await mkdtemp(join(tmpdir(), 'svc-postgres-'))
    const long = join(short, 'x'.repeat(100))
    for (const dataDir of [short, long]) {
      const server = await startEmbeddedPostgres({ dataDir, log: () => undefined })
      try {
        const url = new URL(server.url)
        expect(url.searchParams.has('host')).to.equal(dataDir === short)
        url.searchParams.delete('host')
        const client = new pg.Client({ connectionString: url.href })
        await client.connect()
        const { rows } = await client.query<{ by: string }>('select inet_server_addr()::text as by')
        expect(rows[0]?.by).to.match(/^127\.0\.0\.1/)
        await client.end()
      } finally {
        await server.stop()
      }
    }
    await rm(short, { recursive: true, force: true })
  })

  /** Paths in a folder that other users can read; programs contain nothing secret. */
  const readableByOthers = async (dir: string): Promise<string[]> => {
    const readable: string[] = []
    for (const entry of await readdir(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name)
      if (entry.name === 'programs' || entry.isSymbolicLink() || entry.isSocket()) continue
      const others = (await lstat(path)).mode & 0o044
      if (others !== 0) readable.push(entry.name)
      if (entry.isDirectory()) readable.push(...(await readableByOthers(path)))
    }
    return readable
  }

  it('keeps every file of the data folder private to its owner, including the log of an earlier version', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-postgres-'))
    const former = process.umask(0o022)
    try {
      for (const start of ['first', 'with a log that others may read']) {
        const server = await startEmbeddedPostgres({ dataDir: dir, log: () => undefined })
        const open = await readableByOthers(dir)
        await server.stop()
        expect(open, start).to.deep.equal([])
        await chmod(join(dir, 'server.log'), 0o644)
      }
    } finally {
      process.umask(former)
      await rm(dir, { recursive: true, force: true })
    }
  })

  it('EVT-02 fails at once if the server ends before its log is closed here', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-postgres-'))
    const first = await startEmbeddedPostgres({ dataDir: dir, log: () => undefined })
    await first.stop()
    // Closing a file needs one of Node's four threads, and each is busy for longer than Postgres needs to fail.
    let failed = false
    const busy = async (): Promise<void> => {
      while (!failed) await promisify(pbkdf2)('password', 'salt', 200_000, 64, 'sha512')
    }
    const threads = Array.from({ length: 4 }, busy)
    const error = await startEmbeddedPostgres({
      dataDir: dir,
      log: () => undefined,
      settings: { shared_buffers: 'nonsense' },
    }).then(
      () => '',
      (reason: unknown) => String(reason),
    )
    failed = true
    await Promise.all(threads)
    await rm(dir, { recursive: true, force: true })
    expect(error).to.include('Postgres did not start').and.include('shared_buffers')
  })

  it('EVT-02 has one owner at a time, survives when its owner is killed, and is moved together with its data', async () => {
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
