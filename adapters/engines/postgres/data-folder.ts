/** Ownership of the data folder of an embedded Postgres, and the server that may still run in it. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, processMark, servesCluster } from './os.ts'

const POLL_MS = 25

/** Returns the live process that owns a data folder; null if there is none. */
export const owningProcess = async (dir: string): Promise<number | null> => {
  const text = await readFile(join(dir, 'owner.json'), 'utf8').catch(() => '')
  let owner: { pid?: number; mark?: string } = {}
  try {
    owner = JSON.parse(text) as typeof owner
  } catch {
    // The file is incomplete: its writer crashed.
  }
  if (owner.pid === undefined || owner.mark === undefined) return null
  return (await processMark(owner.pid)) === owner.mark ? owner.pid : null
}

/** Whether a folder contains a database, running or not. */
export const hasCluster = async (dir: string): Promise<boolean> =>
  (await stat(join(dir, 'cluster', 'PG_VERSION')).catch(() => undefined)) !== undefined

/** Claims a data folder for this process. The claim of a process that has ended is ignored. */
export const claim = async (dir: string): Promise<() => Promise<void>> => {
  const file = join(dir, 'owner.json')
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await writeFile(file, JSON.stringify({ pid: process.pid, mark: await processMark(process.pid) }), {
        flag: 'wx',
        mode: 0o600,
      })
      return () => rm(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = await owningProcess(dir)
    if (owner !== null)
      throw new Error(`the data folder ${dir} is in use by process ${String(owner)}. Stop it first`)
    await rm(file, { force: true })
  }
  throw new Error(`another process is claiming the data folder ${dir}`)
}

/** Reads the status file that a running server keeps in its data folder. */
export const postmasterFile = async (
  cluster: string,
): Promise<{ pid: number; port: number; socketDir: string; status: string } | undefined> => {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  const line = (n: number): string => (lines[n] ?? '').trim()
  return pid > 0
    ? { pid, port: Number(line(3)), socketDir: line(4).split(',')[0] ?? '', status: line(7) }
    : undefined
}

/**
 * Returns the URL of a server with this password. It uses the socket if there is one, which saves a third of each
 * round trip. Port and path are the same as for TCP, which also works.
 */
export const serverUrl = (
  { port, socketDir }: { readonly port: number; readonly socketDir: string },
  password: string,
): string => {
  const url = new URL(`postgres://svc:${password}@127.0.0.1:${String(port)}/postgres`)
  if (socketDir !== '') url.searchParams.set('host', socketDir)
  return url.href
}

const ended = async (pid: number, limitMs: number): Promise<boolean> => {
  for (const end = Date.now() + limitMs; Date.now() < end; await delay(POLL_MS)) {
    if ((await processMark(pid)) === undefined) return true
  }
  return false
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  if (isAlive(pid)) process.kill(pid, name)
}

/** Stops a server: first without waiting for clients, then without a clean shutdown, finally by killing it. */
export const shutDown = async (pid: number): Promise<void> => {
  signal(pid, 'SIGINT')
  if (await ended(pid, 20_000)) return
  signal(pid, 'SIGQUIT')
  if (await ended(pid, 5_000)) return
  signal(pid, 'SIGKILL')
  await ended(pid, 5_000)
}

/** Stops a server that outlived its parent process, and removes a stale status file. */
export const clearOrphan = async (cluster: string, log: (message: string) => void): Promise<void> => {
  const left = await postmasterFile(cluster)
  if (left === undefined) return
  if (await servesCluster(left.pid, cluster)) {
    log(`stopping the Postgres left running by an earlier process (pid ${String(left.pid)})`)
    await shutDown(left.pid)
  } else {
    // Another process may have its process id by now, and Postgres would then refuse to start.
    await rm(join(cluster, 'postmaster.pid'), { force: true })
  }
}
