/** Concurrent writes through the HTTP API, and what must be found of them afterwards. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect } from 'chai'
import { random } from '../random.ts'
import { READ_MODELS } from '../../../read-models/schema.ts'

/** The expected state of one record: the acknowledged values, or one of those that may have been recorded. */
interface Tracked {
  readonly possible: Map<string, Set<unknown>>
}

export interface Load {
  /** How many requests succeeded, and how many failed. */
  readonly counts: { acknowledged: number; failed: number; unexpected: string[] }
  readonly people: ReadonlyMap<string, Tracked>
  /** Addresses of invitations that may or may not have been recorded. */
  readonly doubtful: ReadonlySet<string>
  stop(): Promise<void>
}

const setKnown = (record: Tracked, field: string, value: unknown): void => {
  record.possible.set(field, new Set([value]))
}

const doubt = (record: Tracked, field: string, value: unknown): void => {
  const known = record.possible.get(field) ?? new Set<unknown>()
  record.possible.set(field, known.add(value))
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const UNANSWERED: Answer = { status: 0, body: {} }

export const ask = async (
  url: string,
  cookie: string,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        Cookie: cookie,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(15_000),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) }
  } catch {
    return UNANSWERED
  }
}

const succeeded = ({ status }: Answer): boolean => status >= 200 && status < 300

/** Failures that the injected faults explain. */
const explained = ({ status }: Answer): boolean => status === 0 || status === 503

/**
 * Each worker changes its own users, groups and memberships, one request after the other, so that the acknowledged
 * requests determine exactly what must be stored.
 * @param urls of the running instances; each request goes to one of them
 */
export const startLoad = (options: {
  readonly urls: () => readonly string[]
  readonly cookie: string
  readonly workers?: number
}): Load => {
  const { urls, cookie, workers = 8 } = options
  const people = new Map<string, Tracked>()
  const doubtful = new Set<string>()
  const counts = { acknowledged: 0, failed: 0, unexpected: [] as string[] }
  let going = true

  const send = async (method: string, path: string, body?: object): Promise<Answer> => {
    const all = urls()
    const url = all[Math.floor(random() * all.length)]
    const answer = url === undefined ? UNANSWERED : await ask(url, cookie, method, path, body)
    if (succeeded(answer)) counts.acknowledged++
    else counts.failed++
    if (!succeeded(answer) && !explained(answer))
      counts.unexpected.push(`${method} ${path} ${String(answer.status)} ${JSON.stringify(answer.body)}`)
    // A worker whose request failed does not retry immediately.
    if (!succeeded(answer)) await new Promise((resolve) => setTimeout(resolve, 20))
    return answer
  }

  const change = async (
    record: Tracked,
    field: string,
    value: unknown,
    request: readonly [string, string, object?],
  ): Promise<boolean> => {
    doubt(record, field, value)
    const answer = await send(...request)
    if (succeeded(answer)) setKnown(record, field, value)
    return succeeded(answer)
  }

  const made = async (path: string, body: object): Promise<string | null> => {
    const answer = await send('POST', path, body)
    return succeeded(answer) ? String(answer.body['id']) : null
  }

  const life = async (): Promise<void> => {
    const group = await made('/groups', { name: `g ${randomUUID()}` })
    if (group === null) return
    const application = await made('/applications', {
      name: `a ${randomUUID()}`,
      protocol: 'oidc',
      type: 'web',
      redirectUris: ['https://a.example/cb'],
      groupIds: [group],
    })
    if (application === null || !going) return
    for (let n = 0; n < 4 && going; n++) {
      const email = `${randomUUID()}@example.com`
      doubtful.add(email)
      const id = await made('/users', { email, name: 'Load', department: 'first' })
      if (id === null) continue
      doubtful.delete(email)
      const record: Tracked = { possible: new Map() }
      setKnown(record, 'status', 'invited')
      setKnown(record, 'department', 'first')
      setKnown(record, 'member', null)
      people.set(id, record)
      const member = `/groups/${group}/members/${id}`
      const steps: readonly (readonly [string, unknown, readonly [string, string, object?]])[] = [
        ['member', group, ['PUT', member, {}]],
        ['department', 'second', ['PATCH', `/users/${id}`, { department: 'second' }]],
        ['status', 'suspended', ['POST', `/users/${id}/suspend`, {}]],
        ['member', null, ['DELETE', member]],
        ['status', 'invited', ['POST', `/users/${id}/reactivate`]],
      ]
      // After an unknown outcome, the next request could fail because of it, so this user is not changed further.
      for (const [field, value, request] of steps)
        if (!going || !(await change(record, field, value, request))) break
    }
  }

  const work = async (): Promise<void> => {
    while (going) await life()
  }
  const running = Promise.all(Array.from({ length: workers }, work))
  return {
    counts,
    people,
    doubtful,
    stop: async () => {
      going = false
      await running
    },
  }
}

/**
 * Everything acknowledged is in the log and in the read models, and nothing is recorded partially.
 * @param since the log position at which the load began
 */
export const expectNothingLost = async (databaseUrl: string, load: Load, since = 0): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const rowsOf = async (sql: string) => (await client.query<Record<string, string | null>>(sql)).rows
    const [log] = await rowsOf(
      `select count(*)::int as n, max(position)::int as last, count(distinct id)::int as ids,
         (select position::int from log.head) as head from log.event`,
    )
    expect(log?.['n'], 'positions are gapless').to.equal(log?.['last'])
    expect(log?.['ids']).to.equal(log?.['n'])
    expect(log?.['head']).to.equal(log?.['last'])
    const halves = await rowsOf(`
      select stream from log.event
        where type in ('user.invited', 'user.enrollment_link_issued') and revision < 3 and position > ${String(since)}
        group by stream having count(distinct type) <> 2
      union all
      select stream from log.event
        where type in ('application.created', 'application.secret_created', 'application.group_assigned')
          and position > ${String(since)}
        group by stream
        having count(distinct type) <> 3 and not bool_or(data::jsonb @> '{"builtIn": true}')`)
    expect(halves, 'commands recorded by halves').to.deep.equal([])
    const rows = await rowsOf(`
      select u.id, u.status, u.department,
        (select group_id from ${READ_MODELS}.memberships m where m.user_id = u.id and m.to_position is null) as member
      from ${READ_MODELS}.users u`)
    const byId = new Map(rows.map((row) => [row['id'], row]))
    const wrong = [...load.people].flatMap(([id, { possible }]) => {
      const row = byId.get(id)
      return [...possible].flatMap(([field, values]) =>
        row !== undefined && values.has(row[field])
          ? []
          : [`${id} ${field}: ${String(row?.[field])}, not ${[...values].join(' or ')}`],
      )
    })
    expect(wrong, 'acknowledged but missing').to.deep.equal([])
  } finally {
    await client.end()
  }
}
