/** Runs the commands of a server's terminal as an operator does, also while the service runs. */
import { expect } from 'chai'
import { bootstrapLink, checkNewAdministrator, setupNotice } from '../../cli/server/setup-link.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { invitedGlobalAdmins } from '../../read-models/queries/administrators.ts'
import { runSvc } from '../support/service/processes.ts'
import { testDatabase, type TestDatabase } from '../support/service/postgres.ts'
import {
  freePort,
  system,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'

const LINK = /^http:\/\/localhost:\d+\/enroll\/[\w-]{43}$/

describe('svc at a server’s terminal', function () {
  this.timeout(180_000)
  let place: TestPlace
  let empty: TestDatabase
  const svc = (args: readonly string[], others: Readonly<Record<string, string>> = {}) =>
    runSvc(
      args,
      { databaseUrl: empty.url, secretKey: place.config.secretKey ?? '' },
      { SVC_PUBLIC_URL: place.config.publicUrl, SVC_LOG_LEVEL: 'silent', ...others },
    )

  before(async () => {
    place = await testPlace()
    empty = await testDatabase()
  })
  after(async () => {
    await empty.drop()
    await place.drop()
  })

  it('CLI-01 migrate, bootstrap, seed-demo and dev-session do their work and exit', async () => {
    const first = await svc(['migrate'])
    expect([first.code, first.output]).to.deep.equal([0, first.output])
    expect(first.output).to.match(/^Applied .+\.\n$/)
    expect(await svc(['migrate'])).to.deep.equal({ code: 0, output: 'Nothing to migrate.\n' })

    const invited = await svc(['bootstrap', '--email', 'ada@example.com', '--name', 'Ada Lovelace'])
    expect(invited.code).to.equal(0)
    expect(invited.output.trimEnd()).to.match(LINK)

    const seeded = await svc(['seed-demo'], { SVC_DEV: '1' })
    expect(seeded.code).to.equal(0)
    expect(seeded.output).to.match(/^Demo application: client id sv_\w+, client secret svs_[\w-]{43}\n$/)

    // An invited user has no session.
    const session = await svc(['dev-session', '--email', 'ada@example.com'], { SVC_DEV: '1' })
    expect([session.code, session.output]).to.deep.equal([
      1,
      'svc: No active user has the address ada@example.com.\n',
    ])
  })

  it('CLI-01 an unavailable event store is reported in one line, with exit code 5', async () => {
    const own = { SVC_DATABASE_URL: place.databaseUrl }
    const away = { ...own, SVC_EVENTSTORE_URL: `esdb://127.0.0.1:${String(await freePort())}?tls=false` }
    const first = await svc(['bootstrap', '--email', 'ada@example.com', '--name', 'Ada'], own)
    expect(first.code, first.output).to.equal(0)
    await Promise.all(
      [
        ['audit', 'verify'],
        ['projections', 'rebuild'],
        ['bootstrap', '--email', 'eve@example.com', '--name', 'Eve', '--force'],
      ].map(async (args) => {
        const { code, output } = await svc(args, away)
        expect(output, args.join(' ')).to.match(/^svc: A store is unavailable: .+\n$/)
        expect(code).to.equal(5)
      }),
    )
  })

  it('CLI-01 an error is reported in one line, with exit code 2', async () => {
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['seed-demo'], /^svc: seed-demo needs SVC_DEV=1\n$/],
      [['dev-session', '--email', 'ada@example.com'], /^svc: dev-session needs SVC_DEV=1\n$/],
      [['bootstrap', '--email', 'ada', '--name', 'Ada'], /^svc: --email: expected an email address[^\n]+\n$/],
    ]
    for (const [args, words] of wrong) {
      const { code, output } = await svc(args)
      expect(output).to.match(words)
      expect(code).to.equal(2)
    }
  })
})

describe('the first administrator', function () {
  this.timeout(60_000)
  let service: TestService
  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.stop())

  const bootstrap = (email: string, force = false) =>
    bootstrapLink(service.core, { email, name: 'Ada Lovelace', force })
  const opens = async (link: string): Promise<number> => {
    const { status } = await service.api('GET', `/auth/enroll/${link.split('/').at(-1) ?? ''}`)
    return status
  }

  it('CLI-01 API-07 keeps the link that bootstrap printed, however often the server starts', async () => {
    const link = await bootstrap('ada@example.com')
    expect(link).to.match(LINK)
    for (let starts = 0; starts < 2; starts++)
      expect(await setupNotice(service.core)).to.contain('ada@example.com is invited')
    expect(await opens(link)).to.equal(200)
  })

  it('CLI-01 bootstrap refuses while a global administrator exists in any status, unless --force', async () => {
    const refusal = (email: string) => bootstrap(email).catch((error: unknown) => error)
    const first = await bootstrap('ada@example.com')
    for (const email of ['ada@example.com', 'bob@example.com'])
      expect(await refusal(email), 'one is invited').to.include({
        exitCode: 1,
        message:
          'A global administrator already exists: ada@example.com (invited). With --force, bootstrap invites another, or prints a new link for one who is invited.',
      })
    expect(await opens(first)).to.equal(200)
    const second = await bootstrap('ADA@example.com', true)
    expect([await opens(first), await opens(second)]).to.deep.equal([404, 200])

    const invited = await invitedGlobalAdmins(service.core.services.pool)
    await userCommands(service.core.services).suspend(invited[0]?.id ?? '', undefined, 'system', system)
    expect(await refusal('bob@example.com'), 'one is suspended')
      .to.have.property('message')
      .that.contains('ada@example.com (suspended)')

    await service.person({ email: 'grace@example.com' }, ['global_admin'])
    expect(await setupNotice(service.core)).to.equal(null)
    expect(await refusal('bob@example.com')).to.include({ exitCode: 1 })
    expect(await bootstrap('bob@example.com', true)).to.match(LINK)
    const taken = await bootstrap('grace@example.com', true).catch((error: unknown) => error)
    expect(taken).to.include({
      exitCode: 1,
      message: 'grace@example.com cannot be invited: This email address is already in use.',
    })
  })

  it('CLI-01 API-07 needs an address and a name that are valid for invitations', () => {
    expect(() => checkNewAdministrator({ email: 'ada@example.com', name: 'Ada Lovelace' })).not.to.throw()
    const wrong: readonly (readonly [email: string, name: string, words: RegExp])[] = [
      ['a"b@example.com', 'Ada', /^--email: expected an email address/],
      ['ada@', 'Ada', /^--email: expected an email address/],
      ['ada@example.com', '', /^--name: expected/],
      ['ada@example.com', ' Ada', /^--name: expected/],
      ['ada@example.com', 'A\u0007da', /^--name: expected/],
      ['ada@example.com', 'A'.repeat(201), /^--name: expected/],
    ]
    for (const [email, name, words] of wrong)
      expect(() => checkNewAdministrator({ email, name }))
        .to.throw(words)
        .with.property('exitCode', 2)
  })
})
