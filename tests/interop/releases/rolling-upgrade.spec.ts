/** The previous release and this one on one database, one replaced by the other under load. */
import { expect } from 'chai'
import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { READ_MODELS, UNVERSIONED } from '../../../read-models/schema.ts'
import { scimApp } from '../../support/scim/scim-app.ts'
import { expectNothingLost, startLoad, type Load } from '../../support/service/load.ts'
import { testDatabase } from '../../support/service/postgres.ts'
import { runSvc, serve, type ServeProcess, type Setting } from '../../support/service/processes.ts'
import { until } from '../../support/until.ts'
import { request, succeeded } from '../../support/upgrade/http.ts'
import { inhabit, tokensFor, type Credentials } from '../../support/upgrade/inhabitants.ts'
import { previousRelease } from '../../support/upgrade/previous-release.ts'
import { webhookReceiver } from '../../support/webhooks/webhook-receiver.ts'

const PUBLIC_URL = 'http://localhost:8080'
/** Number of changes on one release that are read on the other. */
const CHANGES = 30

describe('A rolling upgrade from the previous release', function () {
  this.timeout(600_000)
  let database: Awaited<ReturnType<typeof testDatabase>>
  let setting: Setting
  let held: Credentials
  let previous: ServeProcess
  let present: ServeProcess
  let load: Load
  let serving: readonly string[] = []
  let refreshToken: string
  let since = 0
  const closing: (() => unknown)[] = []
  const environment = { SVC_PUBLIC_URL: PUBLIC_URL, SVC_DEV: '1' }

  const sql = async (statement: string): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query<Record<string, unknown>>(statement)
    await client.end()
    return rows
  }
  const noneFailed = (): void => {
    expect(load.counts.unexpected).to.deep.equal([])
    expect(load.counts.failed, 'failed requests').to.equal(0)
  }
  const more = async (requests: number): Promise<void> => {
    const goal = load.counts.acknowledged + requests
    await until(
      () => load.counts.acknowledged >= goal || load.counts.failed > 0,
      120_000,
      'acknowledged requests',
    )
    noneFailed()
  }
  const api = async (on: ServeProcess, method: string, path: string, body?: object) =>
    request(`${on.url}/api/v1${path}`, method, {
      cookie: held.admin.cookie,
      ...(body === undefined ? {} : { body }),
    })

  before(async () => {
    const release = await previousRelease()
    database = await testDatabase()
    setting = { databaseUrl: database.url, secretKey: randomBytes(32).toString('base64url') }
    const [scim, hook] = [await scimApp(), await webhookReceiver()]
    closing.push(
      () => scim.stop(),
      () => {
        hook.close()
      },
    )
    previous = await serve(setting, environment, [release.program])
    const setupLink = (): string | undefined => /http:\S+\/enroll\/[\w-]+/.exec(previous.output())?.[0]
    await until(() => setupLink() !== undefined, 20_000, 'the setup link')
    held = await inhabit({
      publicUrl: PUBLIC_URL,
      url: previous.url,
      setupLink: setupLink() ?? '',
      scim: { baseUrl: scim.baseUrl, token: scim.token },
      hook: hook.url('/'),
    })
    refreshToken = held.refreshToken
    since = Number((await sql('select position from log.head'))[0]?.['position'])
    serving = [previous.url]
    load = startLoad({ urls: () => serving, cookie: held.admin.cookie, workers: 4 })
    await more(20)
  })
  after(async () => {
    await load?.stop()
    await Promise.all([previous?.kill('SIGKILL'), present?.kill('SIGKILL')])
    for (const close of closing) await close()
    await database.drop()
  })

  const refresh = async (on: ServeProcess): Promise<void> => {
    const tokens = await tokensFor(on.url, held.web, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    })
    refreshToken = tokens.refresh_token
    const userinfo = await request(`${on.url}/oauth2/userinfo`, 'GET', {
      headers: { Authorization: `Bearer ${String(tokens.access_token)}` },
    })
    expect(succeeded(userinfo)).to.include({ sub: held.user.userId })
  }

  const builds = async (): Promise<void> => {
    present = await serve(setting, environment)
    expect(present.output()).to.contain('read models of this version built')
    noneFailed()
  }

  const bothServe = async (): Promise<void> => {
    serving = [previous.url, present.url]
    await more(50)
    for (let n = 0; n < CHANGES; n++) {
      const [here, there] = n % 2 === 0 ? [previous, present] : [present, previous]
      const email = `${randomUUID()}@example.com`
      const { id } = succeeded(await api(here, 'POST', '/users', { email, name: 'P' }))
      expect(
        (await api(there, 'GET', `/users/${String(id)}`)).status,
        `created, change ${String(n)}`,
      ).to.equal(200)
      succeeded(await api(there, 'POST', `/users/${String(id)}/suspend`, {}))
      expect(succeeded(await api(here, 'GET', `/users/${String(id)}`)).status).to.equal('suspended')
      await refresh(n % 2 === 0 ? present : previous)
    }
    await more(50)
  }

  const withdraws = async (here: ServeProcess, there: ServeProcess): Promise<void> => {
    await refresh(there)
    const tokens = await tokensFor(there.url, held.web, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    })
    const userinfo = async (): Promise<number> => {
      const { status } = await request(`${there.url}/oauth2/userinfo`, 'GET', {
        headers: { Authorization: `Bearer ${String(tokens.access_token)}` },
      })
      return status
    }
    expect(await userinfo()).to.equal(200)
    succeeded(await api(here, 'POST', `/users/${held.user.userId}/suspend`, {}))
    expect(await userinfo()).to.equal(401)
  }

  const previousStops = async (): Promise<void> => {
    serving = [present.url]
    await more(10)
    expect(await previous.kill('SIGTERM')).to.equal(0)
    await more(50)
    await load.stop()
    noneFailed()
    await expectNothingLost(database.url, load, since)
    const rows = await sql(`select nspname as name from pg_namespace where nspname ~ '^rm' order by 1`)
    expect(rows.map(({ name }) => name)).to.deep.equal([UNVERSIONED, READ_MODELS])
    const audit = await runSvc(['audit', 'verify'], setting)
    expect([audit.code, audit.output]).to.deep.equal([0, audit.output])
    const replay = await runSvc(['projections', 'rebuild', '--verify'], setting)
    expect(replay.output).to.contain('Identical.')
  }

  it('EVT-03 no request fails, changes that one release acknowledges are in effect on the other immediately, and nothing is lost', async () => {
    await builds()
    await bothServe()
    await withdraws(previous, present)
    await previousStops()
  })
})
