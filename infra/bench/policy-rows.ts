import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { openPool } from '../../adapters/engines/postgres/pool.ts'
import { policyDryRuns } from '../../adapters/application/commands/policy-dry-runs.ts'
import { systemClock } from '../../adapters/kernel/clock.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { migrate } from '../../cli/server/migrate.ts'
import type { Log } from '../../cli/server/log.ts'
import { noConditions } from '../../domain/policy/decider.ts'
import { pastSignIns } from '../../read-models/queries/policy-dry-runs.ts'
import { READ_MODELS } from '../../read-models/schema.ts'
import { perSecond, type Line } from './measure.ts'
import { AT_ONCE, measure, serverOf } from './oidc-rows.ts'
import { dismiss, start } from './processes.ts'

const SIGN_INS = Number(process.env['BENCH_SIGN_INS'] ?? 1_000_000)
const PAGE = 2000
const period = { from: '2025-01-01T00:00:00.000000Z', to: '2027-01-01T00:00:00.000000Z' }

/** Authorization over an existing session with policies, compared with none. */
const authorizeRows = async (
  databaseUrlOf: (name: string) => Promise<string>,
  say: (line: Line) => void,
): Promise<void> => {
  const counts = [0, 10, 100, 500]
  const children = []
  for (const count of counts) {
    const url = await databaseUrlOf(`policies_${String(count)}`)
    process.env['BENCH_POLICIES'] = String(count)
    children.push(start('oidc-own', [url]))
  }
  try {
    const servers = []
    for (const child of children) servers.push(await serverOf(child, 'the service', () => 0))
    const results = await measure(servers, 'authorize')
    const [none] = results
    for (const [at, result] of results.entries())
      say({
        what: `authorize, ${String(counts[at])} policies of 50 ids, ${String(AT_ONCE)} in flight`,
        value: perSecond(result.perSecond),
        ratio: `${(result.perSecond / (none?.perSecond ?? 0)).toFixed(2)} × without policies, ${result.cpu.toFixed(3)} ms of CPU`,
      })
  } finally {
    await dismiss(children)
  }
}

/** Sign-ins of a year by 10,000 users, as the projection would store them. */
const fill = async (pool: pg.Pool): Promise<void> => {
  const facts = {
    applicationId: null,
    groupIds: [],
    roles: [],
    zoneIds: [],
    isBlockedZone: false,
    isBreakGlass: false,
    device: 'registered',
    platform: 'macos',
    risk: 'none',
    methods: ['passkey'],
    authAge: 600,
  }
  const decision = { outcome: 'allow', wouldBe: 'allow', matched: [], facts, position: '' }
  await pool.query(
    `insert into sign_ins (id, position, created_at, user_id, result, risk, amr, correlation_id, decision)
     select 'evt_' || lpad(n::text, 26, '0'), lpad(n::text, 20, '0'),
       timestamptz '2025-06-01' + n * interval '31 seconds', 'usr_' || lpad((n % 10000)::text, 26, '0'), 'success',
       'none', '{hwk}', 'c',
       jsonb_set($2::jsonb, '{facts,platform}', to_jsonb((array['macos', 'ios', 'windows'])[1 + n % 3]))
     from generate_series(1, $1) n`,
    [SIGN_INS, decision],
  )
  await pool.query('vacuum analyze sign_ins')
}

const dryRunRows = async (databaseUrl: string, log: Log, say: (line: Line) => void): Promise<void> => {
  await migrate(
    {
      dataDir: '',
      databaseUrl,
      eventStoreUrl: databaseUrl,
      eventStorePrefix: '',
      secretKey: randomBytes(32).toString('base64url'),
      justStarted: false,
      stop: () => Promise.resolve(),
    },
    log,
  )
  const pool = openPool(databaseUrl, READ_MODELS, { max: 4, statementTimeout: 600_000 })
  try {
    await fill(pool)
    const before = performance.now()
    let after: { readonly time: string; readonly id: string } | null = null
    for (;;) {
      const page = await pastSignIns(pool, period, after, PAGE)
      const last = page.at(-1)
      if (last === undefined) break
      after = { time: last.time, id: last.id }
    }
    const reading = SIGN_INS / ((performance.now() - before) / 1000)

    const runs = policyDryRuns({
      pool,
      clock: systemClock(),
      configuration: { fresh: () => Promise.resolve({ zonesAt: () => [] }) },
    })
    const conditions = { ...noConditions, platforms: ['ios' as const] }
    const draft = { id: newId('policy'), version: 0, status: 'enabled' as const, name: '', priority: 0 }
    const id = await runs.start({ ...draft, action: 'block', conditions }, period, null)
    const heap = process.memoryUsage().heapUsed
    let most = heap
    const began = performance.now()
    while ((await runs.find(id))?.status === 'running') {
      await runs.work()
      most = Math.max(most, process.memoryUsage().heapUsed)
    }
    const rate = SIGN_INS / ((performance.now() - began) / 1000)
    const { tally, status } = (await runs.find(id)) ?? {}
    if (status !== 'done' || tally?.evaluated !== SIGN_INS) throw new Error(`dry run ${String(status)}`)
    say({
      what: `dry run over ${String(SIGN_INS)} sign-ins`,
      value: perSecond(rate),
      ratio: `${(rate / reading).toFixed(2)} × reading them (${perSecond(reading)}), ${((most - heap) / 1e6).toFixed(0)} MB more heap at most`,
    })
  } finally {
    await pool.end()
  }
}

/** Measures access policies. */
export const policyRows = async (
  databaseUrlOf: (name: string) => Promise<string>,
  log: Log,
  say: (line: Line) => void,
): Promise<void> => {
  await dryRunRows(await databaseUrlOf('dry_runs'), log, say)
  await authorizeRows(databaseUrlOf, say)
}
