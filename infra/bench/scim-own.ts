/** A separate process with the service, on a database with a directory. */
import pg from 'pg'
import { apiKeyCommands } from '../../adapters/application/commands/api-keys.ts'
import { applicationCommands } from '../../adapters/application/commands/applications.ts'
import { provisioningCommands } from '../../adapters/outbound/provisioning/commands.ts'
import { serviceAccountCommands } from '../../adapters/application/commands/service-accounts.ts'
import { startService, type Service } from '../../cli/server/service.ts'
import { systemActor } from '../../cli/server/setup-link.ts'
import { DomainError } from '../../domain/errors.ts'
import { benchConfig } from './place.ts'
import type { Question, QuestionAnswer, Target } from './scim-load.ts'

const actor = systemActor()
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const [databaseUrl = '', secretKey = ''] = process.argv.slice(2)
const silent = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error }

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

/** Waits until every consumer has reached the end of the log. */
const caughtUp = async ({ core }: Service): Promise<void> => {
  const head = await core.eventLog.head()
  while (core.consumers().some(({ status }) => status.position < head)) await pause(100)
}

/** Runs the maintenance that the database would do itself within a minute after such growth. */
const tidied = async (): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

const sync = async (
  { core: { services } }: Service,
  { baseUrl, groupId, people }: Extract<Question, { ask: 'sync' }>,
): Promise<number> => {
  const { applicationId } = await applicationCommands(services).create(
    {
      applicationType: 'web',
      settings: { name: 'Bench', redirectUris: ['https://app.example.com/callback'] },
      groupIds: [groupId],
    },
    actor,
  )
  const provisioning = provisioningCommands(services)
  const settings = {
    baseUrl,
    token: 'bench',
    authScheme: 'bearer',
    userNameAttribute: 'email',
    attributes: { name: true, email: true, department: true, title: true },
  } as const
  const began = performance.now()
  await provisioning.configure(applicationId, { ...settings, enabled: true }, actor)
  for (;;) {
    await pause(20)
    const { rows } = await services.pool.query<{ n: number }>(
      `select count(*) as n from work.provisioned_user where application_id = $1 and remote_id is not null
         and report is null`,
      [applicationId],
    )
    if (rows[0]?.n === people) break
    if (performance.now() - began > 600_000) throw new Error(`${String(rows[0]?.n)} people after ten minutes`)
  }
  const ms = performance.now() - began
  await provisioning.configure(applicationId, { ...settings, enabled: false }, actor)
  return ms
}

const service = await startService({ ...(await benchConfig(databaseUrl)), secretKey }, silent, {
  provisioning: { poll: 0.2 },
})
await caughtUp(service)
await tidied()
const target: Target = { port: service.port, key: await keyOf(service) }
process.on('message', (question: Question) => {
  const answering =
    question.ask === 'memory'
      ? Promise.resolve(process.memoryUsage().rss / 1_048_576)
      : sync(service, question)
  void answering.then((answer) => process.send?.({ answer } satisfies QuestionAnswer))
})
process.once('disconnect', () => process.exit(0))
process.send?.(target)
