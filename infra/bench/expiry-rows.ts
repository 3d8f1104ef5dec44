/**
 * Measures assignments of an access package that all expire at the same moment: whether anybody still is a member right
 * after it, and how long it takes until the end of each is recorded. `BENCH_ASSIGNMENTS` is their number, `BENCH_MARGIN`
 * the seconds in which they are made.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { READ_MODELS } from '../../read-models/schema.ts'
import type { Log } from '../../cli/server/log.ts'
import type { ConsoleTarget } from './console-rows.ts'
import { filledLog } from './filled-log.ts'
import { perSecond, type Line } from './measure.ts'
import { dismiss, nextMessage, start } from './processes.ts'

const ASSIGNMENTS = Number(process.env['BENCH_ASSIGNMENTS'] ?? 10_000)
const MARGIN_MS = Number(process.env['BENCH_MARGIN'] ?? 120) * 1000
const AT_ONCE = 16
const LOOK_MS = 50
/** Three of the user, two memberships, one session */
const EVENTS_EACH = 6

interface Made {
  readonly id: string
}

export const expiryRows = async (databaseUrl: string, log: Log, say: (line: Line) => void): Promise<void> => {
  const secretKey = randomBytes(32).toString('hex')
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 4,
    options: `-c search_path=${READ_MODELS}`,
  })
  await filledLog({
    ...{ databaseUrl, secretKey, pool, log },
    ...{ wanted: ASSIGNMENTS * EVENTS_EACH, sessionsEach: 1 },
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
    const { id: groupId } = await send<Made>('POST', '/groups', { name: 'Expiring' })
    const { id } = await send<Made>('POST', '/access-packages', {
      name: 'Expiring',
      grants: [{ type: 'group', groupId }],
    })
    await send('POST', `/access-packages/${id}/publish`)
    const { rows: users } = await pool.query<Made>(
      `select id from users where status = 'active' order by id limit $1`,
      [ASSIGNMENTS],
    )
    const end = Date.now() + MARGIN_MS
    const expiresAt = new Date(end).toISOString()
    const waiting = users.map((user) => user.id)
    const began = performance.now()
    const lane = async (): Promise<void> => {
      for (let userId = waiting.pop(); userId !== undefined; userId = waiting.pop())
        await send('POST', `/access-packages/${id}/assignments`, { userId, expiresAt })
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    const seconds = (performance.now() - began) / 1000
    say({
      what: `${users.length.toLocaleString('en')} assignments of an access package over the API, ${String(AT_ONCE)} in flight`,
      value: perSecond(users.length / seconds),
    })
    if (Date.now() >= end) throw new Error('BENCH_MARGIN is too short: some have expired already')
    const members = (): Promise<readonly unknown[]> => send('GET', `/groups/${groupId}/members?limit=200`)
    const before = (await members()).length
    while (Date.now() <= end) await delay(1)
    const after = (await members()).length
    say({
      what: 'members on the first page just before and just after the end',
      value: `${String(before)}, ${String(after)}`,
    })
    const open = async (): Promise<number> => {
      const { rows } = await pool.query<{ n: number }>(
        `select ((select count(*) from memberships where group_id = $1 and to_position is null)
           + (select count(*) from package_assignments where package_id = $2 and to_position is null))::int as n`,
        [groupId, id],
      )
      return rows[0]?.n ?? 0
    }
    while ((await open()) > 0) await delay(LOOK_MS)
    say({
      what: 'until the end of the last assignment and membership is recorded',
      value: `${((Date.now() - end) / 1000).toFixed(1)} s`,
    })
  } finally {
    await dismiss([own])
    await pool.end()
  }
}
