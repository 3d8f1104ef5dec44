/** Metrics and logs of provisioning, and its behaviour during failures of the service itself. */
import { expect } from 'chai'
import { storeLimits } from '../../../cli/server/store-limits.ts'
import {
  eager,
  provisionedApplication,
  type ProvisionedApplication,
} from '../../support/scim/provisioning.ts'
import { scimApp, type ScimApp } from '../../support/scim/scim-app.ts'
import {
  freePort,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

describe('Operating provisioning', function () {
  this.timeout(120_000)
  let place: TestPlace
  let service: TestService
  let app: ScimApp
  let application: ProvisionedApplication
  let metricsPort: number
  before(async () => {
    metricsPort = await freePort()
    place = await testPlace({ metricsListen: { host: '127.0.0.1', port: metricsPort } })
    service = await testService(place, { provisioning: eager, heldUpSeconds: 1, limits: storeLimits })
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })
  beforeEach(async () => {
    app = await scimApp()
    application = await provisionedApplication(service)
  })
  afterEach(async () => {
    await application.own('DELETE')
    await app.stop()
  })

  /** Returns metric values by name and labels, without the prefix. */
  const metrics = async (): Promise<ReadonlyMap<string, number>> => {
    const text = await (await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`)).text()
    const prefix = 'svc_provisioning_'
    const lines = text.split('\n').filter((line) => line.startsWith(prefix))
    return new Map(
      lines.map((line) => [line.slice(prefix.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    )
  }
  const own = (name: string): string => `${name}{application="${application.applicationId}"}`
  const errors = async (): Promise<number> =>
    (await application.send('GET', '/overview')).body.provisioningErrors as number
  const ready = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${String(metricsPort)}/readyz`)).text()
  const query = (sql: string) => service.core.workPool.query(sql)

  it('metrics and the overview report pending and failing users, and unreachable applications', async () => {
    const bad = await application.member()
    await application.member()
    app.fault = (line, body) =>
      line === 'POST /Users' && body.userName === bad.email ? { status: 400 } : null
    await application.configure(app, { enabled: false })
    let figures = await metrics()
    expect(figures.get('applications{status="off"}')).to.equal(1)
    expect(figures.get(own('people_waiting'))).to.equal(0)
    expect(figures.has(own('last_sync_age_seconds'))).to.equal(false)
    expect(await errors()).to.equal(0)

    await application.own('PUT', '', { baseUrl: app.baseUrl })
    await until(async () => (await metrics()).get(own('people_failing')) === 1)
    await until(async () => (await metrics()).get('applications{status="ok"}') === 1)
    figures = await metrics()
    expect(figures.get('worker_running')).to.equal(1)
    expect(figures.get(own('people_waiting'))).to.equal(1)
    expect(figures.get(own('application_failing'))).to.equal(0)
    expect(figures.get(own('last_sync_age_seconds'))).to.be.within(0, 30)
    expect(await errors()).to.equal(1)

    app.fault = () => ({ status: 401 })
    await until(async () => (await metrics()).get(own('application_failing')) === 1)
    expect((await metrics()).get('applications{status="error"}')).to.equal(1)
    expect(await errors()).to.equal(1)

    app.fault = () => null
    await until(async () => (await errors()) === 0)
    await until(async () => (await metrics()).get(own('people_waiting')) === 0)
    expect((await metrics()).get(own('people_failing'))).to.equal(0)
  })

  it('the overview reports a pause and counts the affected users', async () => {
    for (let i = 0; i < 11; i++) await application.member()
    await application.configure(app)
    await application.synced()
    await application.send(
      'DELETE',
      `/applications/${application.applicationId}/groups/${application.groupId}`,
    )
    await until(async () => (await errors()) === 1)
    const figures = await metrics()
    expect(figures.get('applications{status="paused"}')).to.equal(1)
    expect(figures.get(own('people_waiting'))).to.equal(11)
  })

  it('the metrics show how far the marks are behind the log', async () => {
    await application.configure(app)
    await until(async () => (await metrics()).get('marks_behind_seconds') === 0)
    const holding = await service.core.workPool.connect()
    try {
      await holding.query('begin')
      await holding.query('lock table work.provisioning in access exclusive mode')
      await application.member()
      await until(async () => ((await metrics()).get('marks_behind_seconds') ?? 0) > 0.5)
    } finally {
      await holding.query('rollback')
      holding.release()
    }
    await until(async () => (await metrics()).get('marks_behind_seconds') === 0)
  })

  it('blocked work is retried at growing intervals and reported, and makes the service not ready until it continues', async () => {
    const ada = await application.member({ name: 'Ada' })
    await application.configure(app)
    await application.synced()
    expect(await ready()).to.equal('ready')
    const { lines } = service.log
    const from = lines.length
    const times: number[] = []
    await query('alter table work.provisioning rename column held_until to held_away')
    try {
      await application.send('PATCH', `/users/${ada.userId}`, { name: 'Ada King' })
      await until(
        () => {
          const warnings = lines
            .slice(from)
            .filter((line) => /provisioning is failing .*"task":"looking"/.test(line))
          if (warnings.length > times.length) times.push(performance.now())
          return times.length === 5
        },
        30_000,
        'five tries',
      )
      expect((times[4] ?? 0) - (times[0] ?? 0), 'at least half of 0.5 + 1 + 2 + 4 s').to.be.greaterThan(3700)
      expect((await metrics()).get('worker_held_up_seconds{task="looking"}')).to.be.greaterThan(3)
      await until(async () => (await ready()).includes('provisioning is failing'))
    } finally {
      await query('alter table work.provisioning rename column held_away to held_until')
    }
    await until(() => app.named(ada.email).displayName === 'Ada King', 15_000)
    expect((await metrics()).has('worker_held_up_seconds{task="looking"}')).to.equal(false)
    await until(async () => (await ready()) === 'ready')
  })

  it('a run that fails through no fault of the application is retried at growing intervals, and does not delay others', async () => {
    const other = await provisionedApplication(service)
    const there = await scimApp()
    try {
      await application.configure(app)
      await other.configure(there)
      await application.synced()
      await other.synced()
      const { lines } = service.log
      const from = lines.length
      const own = `"task":"${application.applicationId}"`
      const times: number[] = []
      // A trigger that fails only for this application.
      await query(
        `create function work.broken() returns trigger language plpgsql as $$ begin
           if new.application_id = '${application.applicationId}' then raise exception 'broken'; end if;
           return new; end $$;
         create trigger broken before insert or update on work.provisioned_user
           for each row execute function work.broken()`,
      )
      const ada = await application.member()
      await until(
        () => {
          const warnings = lines
            .slice(from)
            .filter((line) => line.includes('provisioning is failing') && line.includes(own))
          if (warnings.length > times.length) times.push(performance.now())
          return times.length === 4
        },
        30_000,
        'four tries',
      )
      expect((times[3] ?? 0) - (times[0] ?? 0)).to.be.greaterThan(1700)
      expect((await metrics()).has(`worker_held_up_seconds{task="${application.applicationId}"}`)).to.equal(
        true,
      )
      expect(await ready()).to.equal('ready')
      const bob = await other.member()
      await until(() => there.named(bob.email)?.active === true)
      await query('drop trigger broken on work.provisioned_user; drop function work.broken()')
      await until(() => app.named(ada.email)?.active === true, 20_000)
      await until(
        async () => !(await metrics()).has(`worker_held_up_seconds{task="${application.applicationId}"}`),
      )
    } finally {
      await query('drop trigger if exists broken on work.provisioned_user')
      await other.own('DELETE')
      await there.stop()
    }
  })
})
