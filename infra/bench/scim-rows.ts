import { randomInt } from 'node:crypto'
import pg from 'pg'
import { apiKeyCommands } from '../../adapters/commands/api-keys.ts'
import { serviceAccountCommands } from '../../adapters/commands/service-accounts.ts'
import type { Actor } from '../../adapters/event-log/handle.ts'
import type { Log } from '../../cli/log.ts'
import { startService, type Service } from '../../cli/service.ts'
import { DomainError } from '../../domain/errors.ts'
import { milliseconds, perSecond, throughput, type Line } from './measure.ts'
import { benchConfig } from './place.ts'

const PEOPLE = 100_000
const GROUPS = 5000
const MEMBERS = 10_000
const SECONDS = 4

const actor: Actor = {
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId: 'bench',
}

/** A directory as the projection would have left it: what is measured is how it is read, and what is added to it. */
const fill = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('set search_path to rm')
  await client.query(
    `insert into users (id, source, status, email, email_key, name, user_name, user_name_key, external_id,
                        given_name, family_name, title, department, locale, invited_at, created_at, updated_at, version)
     select 'usr_01J' || lpad(n::text, 23, '0'), 'scim', 'invited', 'p' || n || '@example.com',
            'p' || n || '@example.com', 'Given Family ' || n, 'user' || n, 'user' || n, 'ext-' || n, 'Given',
            'Family ' || n, 'Clerk', 'Department ' || n % 40, 'en-GB', now(), now(), now(), 1
     from generate_series(1, $1::int) n`,
    [PEOPLE],
  )
  await client.query(
    `insert into groups (id, status, name, name_key, external_id, owner_ids, source, created_at, updated_at, version)
     select 'grp_01J' || lpad(n::text, 23, '0'), 'exists', 'Group ' || n, 'group ' || n, 'ext-' || n, '{}', 'scim',
            now(), now(), 1
     from generate_series(1, $1::int) n`,
    [GROUPS],
  )
  for (const table of ['users', 'groups']) await client.query(`vacuum analyze ${table}`)
  await client.end()
}

const keyOf = async ({ core: { services } }: Service): Promise<string> => {
  const accounts = serviceAccountCommands(services)
  const { serviceAccountId } = await accounts.create({ name: 'Directory' }, actor)
  await accounts.setRoles(serviceAccountId, ['user_admin'], actor)
  const { key } = await apiKeyCommands(services).create(
    { serviceAccountId, name: 'Bench', scopes: ['scim'] },
    ['global_admin'],
    new DomainError('ERR_NOT_FOUND'),
    actor,
  )
  return key
}

/** The SCIM server over HTTP, with a large directory behind it. */
export const scimRows = async (databaseUrl: string, log: Log, say: (line: Line) => void): Promise<void> => {
  const service = await startService(await benchConfig(databaseUrl), log)
  try {
    await fill(databaseUrl)
    const key = await keyOf(service)
    const scim = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const response = await fetch(`${service.publicUrl}/scim/v2${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/scim+json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text.slice(0, 200)}`)
      return text === '' ? undefined : JSON.parse(text)
    }

    const from = (count: number) => String(randomInt(1, PEOPLE - count))
    const among = `of ${PEOPLE.toLocaleString('en')}`
    const reads: readonly (readonly [string, () => string])[] = [
      [`SCIM pages of 200 users ${among}`, () => `/Users?count=200&startIndex=${from(200)}`],
      [
        `SCIM users by userName ${among}`,
        () => `/Users?filter=${encodeURIComponent(`userName eq "user${from(1)}"`)}`,
      ],
      [
        `SCIM groups by displayName of ${GROUPS.toLocaleString('en')}`,
        () =>
          `/Groups?excludedAttributes=members&filter=${encodeURIComponent(`displayName eq "Group ${String(randomInt(1, GROUPS))}"`)}`,
      ],
    ]
    for (const [what, path] of reads)
      say({
        what: `${what}, 8 in flight`,
        value: perSecond(await throughput(8, SECONDS, () => scim('GET', path()))),
      })

    const created = await throughput(16, SECONDS, (n) =>
      scim('POST', '/Users', {
        userName: `new${String(n)}@bench.example`,
        name: { givenName: 'N', familyName: 'N' },
      }),
    )
    say({ what: 'SCIM users created, 16 in flight', value: perSecond(created) })

    const { id } = (await scim('POST', '/Groups', { displayName: 'Everybody' })) as { id: string }
    const value = Array.from({ length: MEMBERS }, (_, n) => ({
      value: `usr_01J${String(n + 1).padStart(23, '0')}`,
    }))
    for (const op of ['add', 'remove']) {
      const began = performance.now()
      await scim('PATCH', `/Groups/${id}?excludedAttributes=members`, {
        Operations: [{ op, path: 'members', value }],
      })
      const ms = performance.now() - began
      say({
        what: `SCIM PATCH to ${op} ${MEMBERS.toLocaleString('en')} members`,
        value: milliseconds(ms),
        ratio: perSecond((MEMBERS / ms) * 1000),
      })
    }
    say({
      what: 'memory of the process after that',
      value: `${(process.memoryUsage().rss / 1_048_576).toFixed(0)} MiB`,
    })
  } finally {
    await service.stop()
  }
}
