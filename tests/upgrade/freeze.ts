/**
 * Freezes the data of a release for the upgrade tests: starts its program with an empty data folder, creates a small
 * organization, rotates the secret key, and writes `<version>.backup`, `.json` and `.shape.txt`. Usage: tsx
 * tests/upgrade/freeze.ts <the program, for example .build/cli/main.js>
 */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../adapters/engines/postgres/embedded.ts'
import { lastingSchemas } from '../../adapters/engines/postgres/migrate.ts'
import { backUp } from '../../cli/server/backup.ts'
import { readConfig } from '../../cli/server/config.ts'
import { scimApp } from '../support/scim/scim-app.ts'
import { freePort, recordingLog } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { embeddedEnvironment, openFolder } from '../support/upgrade/embedded.ts'
import { inhabit, type Credentials } from '../support/upgrade/inhabitants.ts'
import { shapeOf } from '../support/upgrade/shape.ts'
import { webhookReceiver } from '../support/webhooks/webhook-receiver.ts'

const PUBLIC_URL = 'http://localhost:8080'
const data = fileURLToPath(new URL('./data/', import.meta.url))
const run = promisify(execFile)

/** Waits until the tree, the audit trail and the applications have everything that was created. */
const settled = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const unfinished = async (): Promise<string> => {
    const { rows } = await client.query<{ waits: string | null }>(
      `select concat_ws(', ',
         case when (select position::bigint from proof.tree) <> (select position from log.head) then 'audit tree' end,
         (select 'webhooks ' || min(status) from work.webhook_delivery where status in ('queued', 'retrying')),
         case when not exists (select from work.provisioned_user where active) then 'provisioning' end,
         (select 'accounts ' || min(error) from work.provisioned_user where error is not null)) as waits`,
    )
    return rows[0]?.waits ?? ''
  }
  try {
    await until(async () => (await unfinished()) === '', 60_000, 'a service without work')
  } catch (error) {
    throw new Error(`still to do: ${await unfinished()}`, { cause: error })
  } finally {
    await client.end()
  }
}

const live = async (program: string, dataDir: string): Promise<Credentials> => {
  const port = await freePort()
  const env = embeddedEnvironment(dataDir, {
    SVC_LISTEN: `127.0.0.1:${String(port)}`,
    SVC_PUBLIC_URL: PUBLIC_URL,
  })
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  const [scim, hook] = [await scimApp(), await webhookReceiver()]
  const link = (): string | undefined => /http:\S+\/enroll\/[\w-]+/.exec(said)?.[0]
  try {
    await until(() => link() !== undefined, 120_000, 'the setup link')
    const credentials = await inhabit({
      publicUrl: PUBLIC_URL,
      url: `http://127.0.0.1:${String(port)}`,
      setupLink: link() ?? '',
      scim: { baseUrl: scim.baseUrl, token: scim.token },
      hook: hook.url('/'),
    })
    const { attachEmbeddedPostgres } = await import('../../adapters/engines/postgres/attach.ts')
    await settled((await attachEmbeddedPostgres(join(dataDir, 'postgres'))) ?? '')
    return credentials
  } finally {
    child.kill('SIGTERM')
    await ended
    hook.close()
    await scim.stop()
  }
}

const shape = async (dataDir: string): Promise<string> => {
  const server = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), log: () => undefined })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const lines: string[] = []
  for (const schema of lastingSchemas) lines.push(...(await shapeOf(client, schema)))
  await client.end()
  await server.stop()
  return `${lines.join('\n')}\n`
}

const main = async (program: string): Promise<void> => {
  const { stdout } = await run(process.execPath, [program, '--version'])
  const version = stdout.trim()
  const folder = await openFolder()
  try {
    const dataDir = join(folder.path, 'data')
    const credentials = await live(program, dataDir)
    const newKey = randomBytes(32).toString('base64url')
    await run(process.execPath, [program, 'rotate-secret-key'], {
      env: embeddedEnvironment(dataDir, { SVC_NEW_SECRET_KEY: newKey }),
    })
    await mkdir(data, { recursive: true })
    const fileOf = (kind: string): string => join(data, `${version}.${kind}`)
    await rm(fileOf('backup'), { force: true })
    const config = readConfig(
      { SVC_DATA_DIR: dataDir },
      { projectDir: folder.path, homeDir: folder.path, isTerminal: false },
    )
    const { bytes, events } = await backUp(config, recordingLog(), {
      out: fileOf('backup'),
      passphraseFile: undefined,
      progressed: () => undefined,
    })
    await writeFile(fileOf('json'), `${JSON.stringify(credentials, null, 2)}\n`)
    await writeFile(fileOf('shape.txt'), await shape(dataDir))
    process.stdout.write(`Froze ${String(events)} events of svc ${version} in ${String(bytes)} bytes.\n`)
  } finally {
    await folder.remove()
  }
}

await main(process.argv[2] ?? '')
