/**
 * Measures an export of everything on a service with many users: how long it takes, and the memory of the service
 * meanwhile. `BENCH_USERS` is the number of users, `BENCH_UPDATES` of the changes of each, `BENCH_EXPORT` a path to keep
 * the archive, for a verification.
 */
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { exportKinds } from '../../domain/export/events.ts'
import type { Log } from '../../cli/server/log.ts'
import type { ConsoleTarget } from './console-rows.ts'
import { filledLog } from './filled-log.ts'
import { perSecond, type Line } from './measure.ts'
import { dismiss, nextMessage, start } from './processes.ts'

const USERS = Number(process.env['BENCH_USERS'] ?? 100_000)
const UPDATES = Number(process.env['BENCH_UPDATES'] ?? 1)
/** Two of the user besides the changes, two memberships, one session */
const EVENTS_EACH = 5 + UPDATES
const LOOK_MS = 200

interface ExportProgress {
  readonly id: string
  readonly status: string
  readonly rows: number
  readonly bytes: number
}

/** Resident memory of a process in MiB. */
const memoryOf = async (pid: number): Promise<number> => {
  const [, kibibytes = '0'] =
    /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${String(pid)}/status`, 'utf8')) ?? []
  return Number(kibibytes) / 1024
}

export const exportRows = async (databaseUrl: string, log: Log, say: (line: Line) => void): Promise<void> => {
  const secretKey = randomBytes(32).toString('hex')
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  const events = await filledLog({
    ...{ databaseUrl, secretKey, pool, log },
    ...{ wanted: USERS * EVENTS_EACH, sessionsEach: 1, updatesEach: UPDATES },
  })
  const own = start('console-own', [databaseUrl, secretKey])
  try {
    const { url, cookie } = await nextMessage<ConsoleTarget>(own, 'the service')
    const send = async <T>(method: string, path: string, body?: object): Promise<T> => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { Cookie: cookie, Origin: url, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
      return (await response.json()) as T
    }
    // Waits until nothing runs in the background.
    const isGrown = async (): Promise<boolean> =>
      (await pool.query('select from proof.tree where size >= $1', [events])).rowCount !== 0
    while (!(await isGrown())) await delay(LOOK_MS)
    await pool.query('vacuum analyze')
    const before = await memoryOf(own.pid ?? 0)
    const requested = await send<ExportProgress>('POST', '/export', {
      kinds: exportKinds,
      format: 'ndjson',
    })
    const began = performance.now()
    let [peak, done] = [0, requested]
    while (done.status === 'queued' || done.status === 'running') {
      peak = Math.max(peak, await memoryOf(own.pid ?? 0))
      await delay(LOOK_MS)
      done = await send<ExportProgress>('GET', `/export/${requested.id}`)
    }
    const seconds = (performance.now() - began) / 1000
    if (done.status !== 'ready') throw new Error(`the export is ${done.status}`)
    say({
      what: `export of ${USERS.toLocaleString('en')} users and ${events.toLocaleString('en')} events, ${done.rows.toLocaleString('en')} rows`,
      value: perSecond(done.rows / seconds),
      ratio: `${seconds.toFixed(1)} s, ${(done.bytes / 2 ** 20).toFixed(1)} MiB`,
    })
    say({
      what: 'memory of the service before and at most during the export',
      value: `${before.toFixed(0)} MiB, ${peak.toFixed(0)} MiB`,
    })
    const kept = process.env['BENCH_EXPORT']
    if (kept !== undefined) {
      const { downloadUrl } = await send<{ downloadUrl: string }>('POST', `/export/${done.id}/download`, {})
      const save = async (address: string, path: string): Promise<void> => {
        const { body } = await fetch(address, { headers: { Cookie: cookie } })
        if (body === null) throw new Error(`${address} is empty`)
        await writeFile(path, body)
      }
      await save(downloadUrl, kept)
      await save(`${url}/api/v1/audit/key.pub`, `${kept}.pub`)
    }
  } finally {
    await dismiss([own])
    await pool.end()
  }
}
