/**
 * Measures an access review of many users and applications: how long it takes to open it, to decide every item in bulk,
 * and to apply the decisions, and how much memory the service needs. `BENCH_REVIEW_USERS` is the number of users, each
 * with 20 applications; a tenth of them lose their access.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { READ_MODELS } from '../../read-models/schema.ts'
import type { Log } from '../../cli/server/log.ts'
import type { ConsoleTarget } from './console-rows.ts'
import { filledLog } from './filled-log.ts'
import { perSecond, type Line } from './measure.ts'
import { dismiss, nextMessage, start } from './processes.ts'

const USERS = Number(process.env['BENCH_REVIEW_USERS'] ?? 10_000)
const APPLICATIONS = 20
const AT_ONCE = 16
const BULK = 200
const LOOK_MS = 100
/** Three of the user, two memberships, one session */
const EVENTS_EACH = 6
const MIB = 1024

interface Made {
  readonly id: string
}

interface Review {
  readonly status: string
  readonly openedAt: string | null
  readonly counts: { readonly total: number; readonly applied: number }
}

/** The largest memory that a process has had, in MiB (proc(5)). */
const peakOf = async (pid: number): Promise<number> => {
  const [, kilobytes = '0'] =
    /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${String(pid)}/status`, 'utf8')) ?? []
  return Number(kilobytes) / MIB
}

export const reviewRows = async (databaseUrl: string, log: Log, say: (line: Line) => void): Promise<void> => {
  const secretKey = randomBytes(32).toString('hex')
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 4,
    options: `-c search_path=${READ_MODELS}`,
  })
  await filledLog({
    ...{ databaseUrl, secretKey, pool, log },
    ...{ wanted: USERS * EVENTS_EACH, sessionsEach: 1 },
  })
  const own = start('console-own', [databaseUrl, secretKey])
  try {
    const { url, cookie } = await nextMessage<ConsoleTarget>(own, 'the service')
    const send = async <T>(method: string, path: string, body?: object): Promise<T> => {
      const response: Response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { Cookie: cookie, Origin: url, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
      return (response.status === 204 ? undefined : await response.json()) as T
    }
    const { id: groupId } = await send<Made>('POST', '/groups', { name: 'Reviewed' })
    const applications: string[] = []
    for (let n = 1; n <= APPLICATIONS; n++) {
      const settings = { protocol: 'oidc', type: 'web', redirectUris: ['https://app.example/cb'] }
      const made = await send<Made>('POST', '/applications', {
        ...{ name: `Reviewed ${String(n)}`, ...settings, groupIds: [groupId] },
      })
      applications.push(made.id)
    }
    const { rows: users } = await pool.query<Made>(
      `select id from users where status = 'active' and roles = '{}' order by id limit $1`,
      [USERS],
    )
    const waiting = users.map((user) => user.id)
    const lane = async (): Promise<void> => {
      for (let userId = waiting.pop(); userId !== undefined; userId = waiting.pop())
        await send('PUT', `/groups/${groupId}/members/${userId}`, {})
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    const { id: reviewerId } = await send<Made>('GET', '/me')
    const before = await peakOf(own.pid ?? 0)

    const { id } = await send<Made>('POST', '/access-reviews', {
      name: 'All',
      scope: { type: 'application', ids: applications },
      stages: [{ type: 'users', ids: [reviewerId], fallbackIds: [] }],
      schedule: {
        startsAt: new Date(Date.now() + 86_400_000).toISOString(),
        durationDays: 14,
        repeat: 'none',
      },
      settings: {
        ...{ justificationRequired: 'never', selfReview: false, bulkDecisions: true, reminders: [] },
        ...{ recommendationInactiveDays: 30, onNoResponse: 'keep', autoApply: true },
      },
    })
    const read = (): Promise<Review> => send('GET', `/access-reviews/${id}`)
    const until = async (isReached: (review: Review) => boolean): Promise<Review> => {
      for (;;) {
        const review = await read()
        if (isReached(review)) return review
        await delay(LOOK_MS)
      }
    }
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const began = performance.now()
      await work()
      return (performance.now() - began) / 1000
    }

    const opening = await timed(async () => {
      await send('POST', `/access-reviews/${id}/start`)
      await until(({ openedAt }) => openedAt !== null)
    })
    const { total } = (await read()).counts
    const count = total.toLocaleString('en')
    say({ what: `an access review of ${count} items opens`, value: `${opening.toFixed(1)} s` })

    const items: { readonly id: string; readonly userId: string }[] = []
    for (let path: string | null = `/access-reviews/${id}/items?limit=200`; path !== null;) {
      const response: Response = await fetch(`${url}/api/v1${path}`, { headers: { Cookie: cookie } })
      items.push(...((await response.json()) as typeof items))
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
      path = next === undefined ? null : next.replace(`${url}/api/v1`, '').replace('/api/v1', '')
    }
    const losing = new Set(users.filter((_, at) => at % 10 === 0).map((user) => user.id))
    const deciding = await timed(async () => {
      for (const decision of ['approved', 'revoked'] as const) {
        const some = items.filter(({ userId }) => losing.has(userId) === (decision === 'revoked'))
        for (let from = 0; from < some.length; from += BULK) {
          const itemIds = some.slice(from, from + BULK).map((item) => item.id)
          await send('POST', `/access-reviews/${id}/items/decide`, { itemIds, decision })
        }
      }
    })
    say({
      what: `${count} items decided, ${String(BULK)} at once, one request after the other`,
      value: perSecond(total / deciding),
    })
    const applying = await timed(async () => {
      await send('POST', `/access-reviews/${id}/complete`)
      await until(({ status }) => status === 'completed')
    })
    const { applied } = (await read()).counts
    say({
      what: `${applied.toLocaleString('en')} revoked items applied (${losing.size.toLocaleString('en')} memberships)`,
      value: `${applying.toFixed(1)} s`,
    })
    say({
      what: 'peak memory of the service before the review, and after it',
      value: `${before.toFixed(0)}, ${(await peakOf(own.pid ?? 0)).toFixed(0)} MiB`,
    })
  } finally {
    await dismiss([own])
    await pool.end()
  }
}
