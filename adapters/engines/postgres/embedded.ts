/**
 * A real Postgres as a child process, for machines without one. Everything is in one folder: `cluster/` (the files of
 * Postgres), `password`, `server.log`, and `owner.json` (the process that owns the folder).
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { claim, clearOrphan, hasCluster, postmasterFile, serverUrl, shutDown } from './data-folder.ts'
import { firstBarrier, postgresPrograms, postgresUser } from './os.ts'
import type { OsUser } from './os.ts'

export interface EmbeddedPostgresOptions {
  /** A separate folder, created if missing. It must contain nothing else. */
  readonly dataDir: string
  /** Default: a free loopback port */
  readonly port?: number
  readonly log: (message: string) => void
  /** Further server settings, as `name: value`. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface EmbeddedPostgres {
  /** Connects to the database `postgres` as superuser; contains the password. */
  readonly url: string
  /** Process id of the running server; it changes after a crash. */
  readonly pid: () => number | undefined
  /** Closes connections, writes everything to disk, and stops the server. */
  readonly stop: () => Promise<void>
}

interface Place {
  readonly dir: string
  readonly cluster: string
  /** Folder of the server's socket; empty if its path would be too long. */
  readonly socketDir: string
  readonly native: string
  readonly user: OsUser | undefined
}

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  shared_buffers: '128MB',
  fsync: 'on',
  max_wal_size: '2GB',
}

/** Limit for the path of a socket; Linux allows 107 bytes, other systems a few less. */
const SOCKET_PATH_LIMIT = 100
const SOCKET_NAME = '/.s.PGSQL.65535'

const OWNER_ONLY = 0o600

const START_LIMIT_MS = 300_000
const POLL_MS = 25

const environment = (place: Place): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  LC_ALL: 'C',
  LD_LIBRARY_PATH: join(place.native, 'lib'),
})

const own = async (path: string, user: OsUser | undefined): Promise<void> => {
  if (user !== undefined) await chown(path, user.uid, user.gid)
}

const tailOf = async (file: string): Promise<string> =>
  (await readFile(file, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-8).join('\n')

const initialise = async (place: Place, log: (message: string) => void): Promise<void> => {
  const passwordFile = join(place.dir, 'password')
  if (await hasCluster(place.dir)) return
  log(`creating a Postgres database in ${place.dir}`)
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: OWNER_ONLY })
  await own(passwordFile, place.user)
  // It has another name until it is complete, so that an incomplete cluster is never used.
  const fresh = `${place.cluster}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  await own(fresh, place.user)
  const flags = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const child = spawn(
    join(place.native, 'bin', 'initdb'),
    [`--pgdata=${fresh}`, '--username=svc', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', ...flags],
    { ...place.user, cwd: fresh, env: environment(place), stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said = (said + chunk).slice(-2000)))
  const code = await new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done))
  if (code !== 0) throw new Error(`initdb failed in ${place.dir}: ${said.trim()}`)
  await rename(fresh, place.cluster)
}

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

const launch = async (
  place: Place,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess> => {
  const logFile = join(place.dir, 'server.log')
  const log = await open(
    logFile,
    ((await stat(logFile).catch(() => undefined))?.size ?? 0) > 10_000_000 ? 'w' : 'a',
    OWNER_ONLY,
  )
  // The file may contain statements and their values, and an earlier version let every user of the machine read it.
  await log.chmod(OWNER_ONLY)
  const all = { ...SETTINGS, unix_socket_directories: place.socketDir, ...settings }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // Detached, so that Ctrl-C reaches only this process, which stops the service before Postgres.
  const child = spawn(
    join(place.native, 'bin', 'postgres'),
    ['-D', place.cluster, '-p', String(port), ...flags],
    {
      ...place.user,
      cwd: place.cluster,
      env: environment(place),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    },
  )
  // Before anything is awaited, because Postgres may end at once.
  let gone = false
  child.once('exit', () => (gone = true)).once('error', () => (gone = true))
  child.unref()
  await log.close()
  for (const end = Date.now() + START_LIMIT_MS; ; await delay(POLL_MS)) {
    if (gone) throw new Error(`Postgres did not start in ${place.dir}:\n${await tailOf(logFile)}`)
    const file = await postmasterFile(place.cluster)
    if (file !== undefined && file.pid === child.pid && file.status === 'ready') return child
    if (Date.now() > end) {
      child.kill('SIGQUIT')
      throw new Error(
        `Postgres was not ready in ${String(START_LIMIT_MS / 1000)} s:\n${await tailOf(logFile)}`,
      )
    }
  }
}

const prepare = async (
  options: EmbeddedPostgresOptions,
): Promise<{ place: Place; release: () => Promise<void> }> => {
  const dir = resolve(options.dataDir)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const user = await postgresUser()
  if (user !== undefined) {
    await chmod(dir, 0o711)
    const barrier = await firstBarrier(dir)
    if (barrier !== undefined) {
      throw new Error(
        `the OS user "postgres" cannot access the data folder ${dir}, because ${barrier} is closed to other users: ` +
          `choose another folder, or run "chmod o+x ${barrier}"`,
      )
    }
  }
  const native = await postgresPrograms(user, join(dir, 'programs'))
  const socketDir = join(dir, 'socket')
  const fits = Buffer.byteLength(socketDir + SOCKET_NAME) <= SOCKET_PATH_LIMIT
  const place = { dir, cluster: join(dir, 'cluster'), socketDir: fits ? socketDir : '', native, user }
  const release = await claim(dir)
  if (fits) {
    await mkdir(socketDir, { recursive: true, mode: 0o711 })
    await own(socketDir, user)
  }
  return { place, release }
}

/**
 * Starts Postgres in a folder and creates the database at the first start. If a killed process left a server running,
 * stops it cleanly first. Restarts a crashed server on the same port. The server ends with `stop()`, or with this
 * process.
 * @throws Error if the folder is in use or inaccessible for the server's OS user, or the server does not start
 */
export const startEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const { log, settings = {} } = options
  const { place, release } = await prepare(options)
  let stopping = false
  let child: ChildProcess | undefined
  let port = options.port ?? 0
  let restarting = Promise.resolve()

  const start = async (): Promise<void> => {
    const started = await launch(place, port, settings)
    child = started
    const onExit = (): void => {
      child = undefined
      if (!stopping) restarting = restart()
    }
    if (started.exitCode === null && started.signalCode === null) started.once('exit', onExit)
    else onExit()
  }
  const startOnFreePort = async (): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      port = options.port ?? (await freePort())
      try {
        return await start()
      } catch (error) {
        if (attempt === 2 || options.port !== undefined || !/in use/.test(String(error))) throw error
      }
    }
  }
  const restart = async (): Promise<void> => {
    log('Postgres ended unexpectedly, restarting it')
    for (let wait = 50; !stopping; wait = Math.min(wait * 2, 5_000)) {
      await delay(wait)
      if (stopping) return
      try {
        return await start()
      } catch (error) {
        log(String(error))
      }
    }
  }
  const endWithProcess = (): void => void child?.kill('SIGINT')
  const stop = async (): Promise<void> => {
    stopping = true
    await restarting
    process.removeListener('exit', endWithProcess)
    if (child?.pid !== undefined) await shutDown(child.pid)
    await release()
  }

  try {
    await clearOrphan(place.cluster, log)
    await initialise(place, log)
    process.once('exit', endWithProcess)
    await startOnFreePort()
    const password = (await readFile(join(place.dir, 'password'), 'utf8')).trim()
    const url = serverUrl({ port, socketDir: place.socketDir }, password)
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
    await client.connect()
    await client.end()
    return { url, pid: () => child?.pid, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
