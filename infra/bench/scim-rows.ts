import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { systemClock } from '../../adapters/kernel/clock.ts'
import { openPostgresLog } from '../../adapters/engines/event-log/postgres.ts'
import { eventSerializer } from '../../adapters/engines/event-log/serializer.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { migrate } from '../../cli/server/migrate.ts'
import { appendDirectory } from './directory.ts'
import { milliseconds, perSecond, type Line } from './measure.ts'
import { dismiss, start, nextMessage } from './processes.ts'
import type { DriverResult, DriverTask, Question, QuestionAnswer, Read, Target } from './scim-load.ts'

const PEOPLE = Number(process.env['BENCH_SCIM_PEOPLE'] ?? 100_000)
const GROUPS = Math.min(5000, PEOPLE)
const MEMBERS = Math.min(10_000, PEOPLE)
const SECONDS = 4

const count = (n: number): string => n.toLocaleString('en')

const drive = async (task: DriverTask): Promise<DriverResult> => {
  const driver = start('scim-driver')
  const result = nextMessage<DriverResult>(driver, `the driver of ${task.kind}`)
  driver.send(task)
  return result
}

/**
 * Fills a database.
 * @returns ids of the users
 */
const fill = async (databaseUrl: string, secretKey: string): Promise<readonly string[]> => {
  const storage = {
    dataDir: '',
    databaseUrl,
    eventStoreUrl: databaseUrl,
    eventStorePrefix: '',
    secretKey,
    justStarted: false,
    stop: () => Promise.resolve(),
  }
  await migrate(storage, { ...console, debug: () => undefined, info: () => undefined })
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  const vault = await openVault({ pool, secretKey, now: () => new Date(), random: randomBytes })
  const log = await openPostgresLog({ connectionString: databaseUrl, retention: () => null })
  const ids = await appendDirectory(log, eventSerializer(vault), systemClock(), {
    people: PEOPLE,
    groups: GROUPS,
    enrolled: MEMBERS,
  })
  await log.close()
  await pool.end()
  return ids
}

/** Measures the SCIM server over HTTP and the SCIM client, with a large directory that was built from the log. */
export const scimRows = async (databaseUrl: string, say: (line: Line) => void): Promise<void> => {
  const secretKey = randomBytes(32).toString('base64url')
  const began = performance.now()
  const userIds = await fill(databaseUrl, secretKey)
  const service = start('scim-own', [databaseUrl, secretKey])
  const receiver = start('scim-receiver')
  try {
    const received = nextMessage<{ port: number }>(receiver, 'the SCIM server')
    const target = await nextMessage<Target>(service, 'the service')
    const { port } = await received
    const answerTo = async (question: Question): Promise<number> => {
      const answer = nextMessage<QuestionAnswer>(service, 'the service')
      service.send(question)
      return (await answer).answer
    }
    const tell = async (line: Line): Promise<void> => {
      const memory = `${(await answerTo({ ask: 'memory' })).toFixed(0)} MiB`
      say({ ...line, ratio: [line.ratio, memory].filter((each) => each !== undefined).join(', ') })
    }
    const seconds = (performance.now() - began) / 1000
    await tell({
      what: `directory of ${count(PEOPLE)} users in ${count(GROUPS)} groups created and projected`,
      value: `${seconds.toFixed(0)} s`,
    })

    const reads: readonly (readonly [Read, string])[] = [
      ['pages', `SCIM pages of 200 users of ${count(PEOPLE)}`],
      ['users by userName', `SCIM users by userName of ${count(PEOPLE)}`],
      ['users by externalId', `SCIM users by externalId of ${count(PEOPLE)}`],
      ['groups by displayName', `SCIM groups by displayName of ${count(GROUPS)}`],
    ]
    for (const [read, what] of reads) {
      const load = {
        kind: 'read',
        read,
        people: PEOPLE,
        groups: GROUPS,
        atOnce: 8,
        seconds: SECONDS,
      } as const
      const result = await drive({ ...target, ...load })
      if ('perSecond' in result)
        await tell({ what: `${what}, 8 in flight`, value: perSecond(result.perSecond) })
    }

    const created = await drive({ ...target, kind: 'create', atOnce: 16, seconds: SECONDS })
    if ('perSecond' in created)
      await tell({ what: 'SCIM users created, 16 in flight', value: perSecond(created.perSecond) })

    const group = await drive({ ...target, kind: 'group' })
    if (!('id' in group)) throw new Error('no group was created')
    const change = async (op: 'add' | 'remove'): Promise<void> => {
      const members = { kind: 'members', groupId: group.id, op, userIds: userIds.slice(0, MEMBERS) } as const
      const result = await drive({ ...target, ...members })
      if ('ms' in result)
        await tell({
          what: `SCIM PATCH to ${op} ${count(MEMBERS)} members`,
          value: milliseconds(result.ms),
          ratio: perSecond((MEMBERS / result.ms) * 1000),
        })
    }
    await change('add')

    const ms = await answerTo({
      ask: 'sync',
      baseUrl: `http://127.0.0.1:${String(port)}`,
      groupId: group.id,
      people: MEMBERS,
    })
    const requests = nextMessage<{ count: number }>(receiver, 'the SCIM server')
    receiver.send('count')
    await tell({
      what: `${count(MEMBERS)} users provisioned to a SCIM server`,
      value: perSecond((MEMBERS / ms) * 1000),
      ratio: `${(ms / 1000).toFixed(1)} s, ${count((await requests).count)} requests`,
    })
    await change('remove')
  } finally {
    await dismiss([service, receiver])
  }
}
