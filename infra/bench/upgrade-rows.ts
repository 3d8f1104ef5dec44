/**
 * Measures upgrades with a long log: the duration and memory of `svc migrate`, and the latency for users of the
 * earlier version, which keeps running on the same database.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import type { Log } from '../../cli/server/log.ts'
import { fingerprints, READ_MODELS, type Fingerprints } from '../../read-models/schema.ts'
import { filledLog } from './filled-log.ts'
import { milliseconds, percentile, type Line } from './measure.ts'
import { dismiss, nextMessage, start } from './processes.ts'
import type { DriverResult, DriverTask, Target } from './oidc-target.ts'

const HISTORY = Number(process.env['BENCH_HISTORY'] ?? 200_000)
/** Few enough that the service is not saturated: then latency says more about the load than about the upgrade. */
const AT_ONCE = 2
const SECONDS = 15
const LOOK_MS = 100

const build = fileURLToPath(new URL('../..', import.meta.url))

/** Creates a copy of the program whose read models have other fingerprints, and therefore a separate schema. */
const earlierVersion = async (): Promise<{ readonly folder: string; readonly bench: URL }> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-earlier-'))
  const copy = join(folder, '.build')
  await cp(build, copy, { recursive: true })
  await cp(join(build, '..', 'package.json'), join(folder, 'package.json'))
  await symlink(join(build, '..', 'node_modules'), join(folder, 'node_modules'))
  const file = join(copy, 'read-models', 'fingerprints.json')
  const made = JSON.parse(await readFile(file, 'utf8')) as Fingerprints
  const changed = Object.entries(made).map(([name, each]) => [name, { ...each, projection: 'earlier' }])
  await writeFile(file, JSON.stringify(Object.fromEntries(changed)))
  return { folder, bench: pathToFileURL(join(copy, 'infra', 'bench', '/')) }
}

const userinfo = async (target: Target, seconds: number): Promise<readonly number[]> => {
  const driver = start('oidc-driver')
  driver.send({ target, operation: 'userinfo', atOnce: AT_ONCE, seconds } satisfies DriverTask)
  const result = await nextMessage<DriverResult>(driver, 'the load driver')
  if ('notServed' in result) throw new Error(result.notServed)
  return result.latencies
}

/**
 * Runs `svc migrate`.
 * @returns seconds, and the peak memory in MiB
 */
const upgrade = async (
  databaseUrl: string,
  secretKey: string,
): Promise<{ seconds: number; peak: number }> => {
  const began = performance.now()
  const child = spawn(process.execPath, [join(build, 'cli', 'main.js'), 'migrate'], {
    env: { ...process.env, SVC_DATABASE_URL: databaseUrl, SVC_SECRET_KEY: secretKey, SVC_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let peak = 0
  while (child.exitCode === null && child.signalCode === null) {
    const status = await readFile(`/proc/${String(child.pid)}/status`, 'utf8').catch(() => '')
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024)
    await delay(LOOK_MS)
  }
  if ((await ended) !== 0) throw new Error('svc migrate failed')
  return { seconds: (performance.now() - began) / 1000, peak }
}

export const upgradeRows = async (
  databaseUrl: string,
  log: Log,
  say: (line: Line) => void,
): Promise<void> => {
  const secretKey = randomBytes(32).toString('base64url')
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  const events = await filledLog({ databaseUrl, secretKey, pool, log, wanted: HISTORY })
  const earlier = await earlierVersion()
  const server = start('oidc-own', [databaseUrl, secretKey], earlier.bench)
  try {
    const target = await nextMessage<Target>(server, 'the earlier version')
    const { rows } = await pool.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname ~ '^rm_[0-9a-f]{10}$'`,
    )
    const schema = rows[0]?.name ?? ''
    // Waits until the audit tree contains the whole history.
    const isGrown = async (): Promise<boolean> => {
      const { rowCount } = await pool.query('select from proof.tree where size >= $1', [events])
      return rowCount !== 0
    }
    while (!(await isGrown())) await delay(LOOK_MS)

    for (const [what, changed] of [
      ['one table', ['groups']],
      ['all tables', Object.keys(fingerprints)],
    ] as readonly (readonly [string, readonly string[]])[]) {
      for (const [name, fingerprint] of Object.entries(fingerprints))
        await pool.query(`update ${schema}.fingerprint set fingerprint = $2 where name = $1`, [
          name,
          changed.includes(name) ? { ...fingerprint, projection: 'earlier' } : fingerprint,
        ])
      const before = percentile(await userinfo(target, SECONDS), 0.99)
      const meanwhile: number[] = []
      let ended = false
      const load = async (): Promise<void> => {
        while (!ended) meanwhile.push(...(await userinfo(target, 2)))
      }
      const loaded = load()
      const { seconds, peak } = await upgrade(databaseUrl, secretKey).finally(() => {
        ended = true
      })
      await loaded
      const during = percentile(meanwhile, 0.99)
      say({
        what: `upgrade of ${events.toLocaleString('en')} events, ${what} changed`,
        value: `${seconds.toFixed(1)} s`,
        ratio: `at most ${peak.toFixed(0)} MiB`,
      })
      say({
        what: `userinfo meanwhile, ${String(AT_ONCE)} in flight, p99`,
        value: milliseconds(during),
        ratio: `${(during / before).toFixed(2)} × undisturbed (${milliseconds(before)})`,
      })
      await pool.query(`drop schema ${READ_MODELS} cascade`)
    }
  } finally {
    await dismiss([server])
    await pool.end()
    await rm(earlier.folder, { recursive: true, force: true })
  }
}
