/**
 * The data of every released version, upgraded to this one: nothing that users and applications rely on stops working.
 */
import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { attachEmbeddedPostgres } from '../../adapters/engines/postgres/attach.ts'
import { lastingSchemas, migrateSchema } from '../../adapters/engines/postgres/migrate.ts'
import { testDatabase } from '../support/service/postgres.ts'
import { program, serve, type ServeProcess } from '../support/service/processes.ts'
import { embeddedEnvironment, openFolder } from '../support/upgrade/embedded.ts'
import { request, succeeded, type Sent } from '../support/upgrade/http.ts'
import { countedLists, tokensFor, type Credentials } from '../support/upgrade/inhabitants.ts'
import { shapeOf } from '../support/upgrade/shape.ts'

const data = new URL('./data/', import.meta.url)
const clock = fileURLToPath(new URL('../support/upgrade/clock-at.mjs', import.meta.url))
const releases = readdirSync(data)
  .filter((name) => name.endsWith('.backup'))
  .map((name) => name.slice(0, -'.backup'.length))

const shapes = async (url: string): Promise<readonly string[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const lines: string[] = []
  for (const schema of lastingSchemas) lines.push(...(await shapeOf(client, schema)))
  await client.end()
  return lines
}

for (const release of releases)
  describe(`The data of release ${release}, upgraded`, function () {
    this.timeout(240_000)
    const held = JSON.parse(readFileSync(new URL(`${release}.json`, data), 'utf8')) as Credentials
    let folder: Awaited<ReturnType<typeof openFolder>>
    let dataDir: string
    let service: ServeProcess | undefined

    /** A minute after the data was frozen: what had not expired then has still not expired. */
    const atThatTime = {
      NODE_OPTIONS: `--import=${clock}`,
      SVC_TEST_CLOCK: new Date(Date.parse(held.frozenAt) + 60_000).toISOString(),
      SVC_PUBLIC_URL: held.publicUrl,
    }
    const svc = (...args: readonly string[]) =>
      new Promise<{ code: number; output: string }>((resolve) => {
        const env = embeddedEnvironment(dataDir, atThatTime)
        execFile(process.execPath, [...program, ...args], { env }, (error, stdout, stderr) => {
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr })
        })
      })
    const at = (): string => service?.url ?? expect.fail('the service did not start')
    const api = (path: string, sent: Sent = {}) => request(`${at()}${path}`, 'GET', sent)

    before(async () => {
      folder = await openFolder()
      dataDir = join(folder.path, 'data')
      const restored = await svc('restore', fileURLToPath(new URL(`${release}.backup`, data)))
      expect(restored.code, restored.output).to.equal(0)
      expect(restored.output).to.contain('recomputed from the restored log')
      service = await serve({ databaseUrl: '', secretKey: '' }, { ...atThatTime, SVC_DATA_DIR: dataDir })
    })
    after(async () => {
      await service?.kill('SIGTERM')
      await folder.remove()
    })

    it('has the tables of a new database', async () => {
      const fresh = await testDatabase()
      const pool = new pg.Pool({ connectionString: fresh.url })
      for (const schema of lastingSchemas) await migrateSchema(pool, schema)
      await pool.end()
      const url = (await attachEmbeddedPostgres(join(dataDir, 'postgres'))) ?? ''
      expect(await shapes(url)).to.deep.equal(await shapes(fresh.url))
      await fresh.drop()
    })

    it('keeps sessions, users, groups, applications and keys', async () => {
      const me = succeeded(await api('/api/v1/me', { cookie: held.user.cookie }))
      expect(me).to.include({ id: held.user.userId, name: held.user.name, email: held.user.email })
      for (const path of countedLists) {
        const list = succeeded(await api(`/api/v1${path}`, { cookie: held.admin.cookie }))
        expect(list, path).to.have.length(held.counts[path] ?? -1)
      }
      const erased = await api(`/api/v1/users/${held.erasedUserId}`, { cookie: held.admin.cookie })
      expect(JSON.stringify(erased.body)).not.to.contain('Mary')
    })

    it('accepts access tokens, refresh tokens and client secrets that were issued before', async () => {
      const userinfo = (accessToken: string) =>
        api('/oauth2/userinfo', { headers: { Authorization: `Bearer ${accessToken}` } })
      expect(succeeded(await userinfo(held.accessToken))).to.include({ sub: held.user.userId })
      const tokens = await tokensFor(at(), held.web, {
        grant_type: 'refresh_token',
        refresh_token: held.refreshToken,
      })
      expect(succeeded(await userinfo(tokens.access_token))).to.include({ email: held.user.email })
      const { scope, resource } = held.service
      const own = await tokensFor(at(), held.service, {
        grant_type: 'client_credentials',
        scope,
        resource,
      })
      expect(own.scope).to.equal(scope)
    })

    it('accepts API keys that were issued before', async () => {
      const bearer = (key: string): Sent => ({ headers: { Authorization: `Bearer ${key}` } })
      expect(succeeded(await api('/api/v1/users', bearer(held.apiKey)))).to.have.length(
        held.counts['/users'] ?? -1,
      )
      const path = `/scim/v2/Users?${new URLSearchParams({ filter: 'userName eq "barbara@example.com"' }).toString()}`
      const found = succeeded(await api(path, bearer(held.scimKey)))
      expect(found.totalResults).to.equal(1)
    })

    it('is complete and unchanged in the audit trail, and the same after a replay', async () => {
      const [checkpoint, key] = [join(folder.path, 'checkpoint'), join(folder.path, 'key.pub')]
      await writeFile(checkpoint, held.checkpoint)
      await writeFile(key, held.publicKey)
      const audit = await svc('audit', 'verify', '--checkpoint', checkpoint, '--key', key)
      expect(audit.output).to.match(/integrity: ok.*\ncompleteness: ok/)
      expect(audit.code).to.equal(0)
      const replay = await svc('projections', 'rebuild', '--verify')
      expect(replay.output).to.contain('Identical.')
      expect((await svc('migrate')).output).to.equal('Nothing to migrate.\n')
    })
  })
