/** Lost, erased or undecryptable data, and the consequences. */
import { expect } from 'chai'
import { rebuildReadModels } from '../../../cli/server/rebuild.ts'
import { rotateStoredSecrets } from '../../../cli/server/rotate-stored-secrets.ts'
import { PROVISIONING_TOKEN } from '../../../adapters/outbound/provisioning/token.ts'
import {
  eager,
  provisionedApplication,
  type ProvisionedApplication,
} from '../../support/scim/provisioning.ts'
import { scimApp, type ScimApp } from '../../support/scim/scim-app.ts'
import {
  recordingLog,
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

describe('Provisioning after losses', function () {
  this.timeout(120_000)
  let place: TestPlace
  let config: TestPlace['config']
  let service: TestService
  let app: ScimApp
  let application: ProvisionedApplication
  const opened: ScimApp[] = []
  const made: ProvisionedApplication[] = []
  // The running service, which some tests restart.
  const live = new Proxy({} as TestService, { get: (_, name) => Reflect.get(service, name) as unknown })
  const newApp = async (): Promise<ScimApp> => {
    const each = await scimApp()
    opened.push(each)
    return each
  }
  const newApplication = async (): Promise<ProvisionedApplication> => {
    const each = await provisionedApplication(live)
    made.push(each)
    return each
  }
  const start = async () => {
    service = await testService({ ...place, config }, { provisioning: eager })
  }

  before(async () => {
    place = await testPlace()
    config = place.config
    await start()
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })
  beforeEach(async () => {
    app = await newApp()
    application = await newApplication()
  })
  afterEach(async () => {
    for (const each of made.splice(0)) await each.own('DELETE')
    for (const each of opened.splice(0)) await each.stop()
  })

  const record = async () => (await application.own('GET')).body
  const isSynced = async () => {
    const { counts, run, status } = await record()
    return status === 'ok' && run === null && counts.pendingCreate === 0 && counts.errors === 0
  }
  const posts = () =>
    app.requests.filter(({ line }) => line === 'POST /Users').map(({ body }) => body.userName)
  const query = async (sql: string, values: unknown[] = []) =>
    (await service.core.services.pool.query<Record<string, unknown>>(sql, values)).rows

  /** Changes users: one with an account is renamed, one leaves, one stays, and a new one joins. */
  const changes = async () => {
    const [renamed, leaving, staying] = [
      await application.member({ name: 'Ada' }),
      await application.member(),
      await application.member(),
    ] as [TestPerson, TestPerson, TestPerson]
    await application.configure(app)
    await application.synced()
    return {
      happen: async () => {
        await application.send('PATCH', `/users/${renamed.userId}`, { name: 'Ada King' })
        await application.leave(leaving.userId)
        const joining = await application.member()
        return async () => {
          await until(() => app.named(joining.email)?.active === true, 15_000, 'the account of the new user')
          await until(() => app.named(renamed.email).displayName === 'Ada King', 15_000, 'the new name')
          await until(() => app.named(leaving.email).active === false, 15_000, 'the deactivation')
          await until(isSynced, 15_000, 'the end of the run')
          expect(app.named(staying.email).active).to.equal(true)
          expect(posts().sort(), 'each user is created once').to.deep.equal(
            [renamed, leaving, staying, joining].map(({ email }) => email).sort(),
          )
        }
      },
    }
  }

  it('SCX-02 working tables that were emptied are rebuilt from the log, and no account is created twice', async () => {
    const { happen } = await changes()
    await query('truncate work.provisioning, work.provisioned_user')
    await query(`delete from work.checkpoint where name = 'provisioning-marks'`)
    await (
      await happen()
    )()
    // A run covers everything, so it may end before the marks consumer has restarted.
    await until(async () => {
      const [marks] = await query(`select position from work.checkpoint where name = 'provisioning-marks'`)
      return marks !== undefined && marks['position'] !== ''
    })
  })

  it('SCX-02 working tables that were dropped are created again at a start, and no account is created twice', async () => {
    const { happen } = await changes()
    await query('drop table work.provisioning, work.provisioned_user')
    // As in a database that was restored without them.
    await query(`delete from work.migration where name like '0001%'`)
    await until(() => service.log.lines.some((line) => line.includes('provisioning is failing')))
    await service.stop()
    await start()
    await (
      await happen()
    )()
  })

  it('EVT-03 read models that are rebuilt during a running sync change nothing in the application', async () => {
    const { happen } = await changes()
    const rebuilding = rebuildReadModels(config, recordingLog(), false)
    const check = await happen()
    await rebuilding
    await check()
  })

  it('SCX-04 a token that cannot be decrypted is reported in each case, and nothing is sent', async () => {
    await application.member()
    await application.configure(app)
    await application.synced()
    const { vault } = service.core.services
    app.requests.length = 0
    for (const sealed of [
      '',
      'nonsense',
      'v1.AAAAAAAA.AAAA',
      'v2.AAAAAAAA.AAAA',
      vault.seal(PROVISIONING_TOKEN, app.token, 'app_of_another'),
      vault.seal('webhook', app.token, application.applicationId),
      vault.seal(PROVISIONING_TOKEN, app.token, application.applicationId).slice(0, -6),
    ]) {
      await query('update provisioning set sealed_token = $1 where application_id = $2', [
        sealed,
        application.applicationId,
      ])
      for (const path of ['/test', '/sync']) {
        const { status, body } = await application.own('POST', path)
        expect([status, body.error.code], sealed).to.deep.equal([422, 'ERR_TOKEN_UNREADABLE'])
      }
      expect(await record()).to.include({ tokenReadable: false })
    }
    await until(async () => (await record()).lastError?.startsWith('token_unreadable') === true)
    expect(app.requests).to.deep.equal([])
    await application.configure(app)
    await until(isSynced)
    expect(await record()).to.include({ tokenReadable: true, lastError: null })
  })

  it('CLI-03 SCX-04 after the secret key was rotated the sync continues with the saved token', async () => {
    const ada = await application.member({ name: 'Ada' })
    await application.configure(app)
    await application.synced()
    await service.stop()
    const newSecretKey = Buffer.alloc(32, 7).toString('base64url')
    const said = await rotateStoredSecrets({ ...config, newSecretKey }, recordingLog())
    expect(said).to.match(/^Rotated\./)
    config = { ...config, secretKey: newSecretKey }
    await start()
    expect((await application.own('POST', '/test')).status).to.equal(204)
    await application.send('PATCH', `/users/${ada.userId}`, { name: 'Ada King' })
    await until(() => app.named(ada.email).displayName === 'Ada King')
    await until(isSynced)
    expect(posts()).to.deep.equal([ada.email])
    expect(app.requests.at(-1)?.headers.authorization).to.equal(`Bearer ${app.token}`)
  })

  describe('an erased user', () => {
    /** Creates applications with their own account ids, and one that rejects new accounts. */
    const world = async () => {
      const [second, refusing] = [await newApp(), await newApp()]
      const ada = await application.member({ name: 'Ada Lovelace', email: 'ada@personal.example' })
      const known = (target: ScimApp, id: string) =>
        target.users.set(id, { id, userName: ada.email, active: true })
      known(app, 'ada.lovelace')
      known(second, 'lovelace')
      refusing.fault = (line) =>
        line === 'POST /Users'
          ? { status: 400, text: JSON.stringify({ detail: `${ada.email} may not come in` }) }
          : null
      const others = []
      for (const target of [second, refusing]) {
        const other = await newApplication()
        await other.join(ada.userId)
        await other.configure(target)
        others.push(other)
      }
      await application.configure(app)
      const all = [application, ...others]
      const accountsOf = () =>
        Promise.all(
          all.map(async (each) => (await each.accounts()).find(({ userId }) => userId === ada.userId)),
        )
      await until(async () => {
        const [one, two, three] = await accountsOf()
        return one?.state === 'linked' && two?.state === 'linked' && three?.state === 'error'
      })
      return { ada, second, others, accountsOf }
    }
    const erase = async ({ userId }: TestPerson) => {
      expect((await application.send('DELETE', `/users/${userId}`)).status).to.equal(204)
      expect((await application.send('POST', `/users/${userId}/erase`)).status).to.be.lessThan(300)
    }
    const everything = async (): Promise<string> =>
      [
        ...(await query(
          `select t::text as text from work.provisioned_user t union all select t::text from work.provisioning t
           union all select t::text from provisioned_accounts t union all select t::text from provisioning t`,
        )),
      ]
        .map(({ text }) => String(text))
        .join('\n')
    const personal = /personal\.example|lovelace/i

    it('SCX-02 is deactivated in every application, and their stored data is deleted', async () => {
      const { ada, second, accountsOf } = await world()
      expect(await everything()).to.match(personal)
      await erase(ada)
      await until(() => app.users.get('ada.lovelace').active === false)
      await until(() => second.users.get('lovelace').active === false)
      await until(
        async () => !personal.test(await everything()),
        10_000,
        'the deletion of the remaining data',
      )
      const gone = { name: 'Erased user', state: 'deactivated', remoteId: null, error: null }
      const left = async () => (await accountsOf()).filter((account) => account !== undefined)
      await until(async () => (await left()).every(({ state }) => state === gone.state))
      for (const account of await left()) expect(account).to.include(gone)
      // The audit trail updates its names later.
      const trail = `/audit?targetId=${application.applicationId}&limit=200`
      await until(async () => {
        const { status, body } = await application.send('GET', trail)
        return status === 200 && body.length > 0 && !personal.test(JSON.stringify(body))
      })
    })

    it('SCX-02 in a disabled application is deactivated once it is enabled again; until then only the account id is kept', async () => {
      const { ada, second, others } = await world()
      const other = others[0] as ProvisionedApplication
      await other.own('PUT', '', { baseUrl: second.baseUrl, enabled: false })
      await others[1]?.own('PUT', '', { baseUrl: opened.at(-1)?.baseUrl, enabled: false })
      await erase(ada)
      await until(async () => !(await everything()).includes('personal.example'))
      await until(async () => !(await everything()).includes('ada.lovelace'))
      expect(await everything()).to.match(/lovelace/)
      expect(second.users.get('lovelace').active).to.equal(true)
      await other.own('PUT', '', { baseUrl: second.baseUrl, enabled: true })
      await until(() => second.users.get('lovelace').active === false)
      await until(async () => !personal.test(await everything()))
    })
  })
})
