/**
 * Every sign-in method at every route that changes methods, addresses, roles, keys, secrets or policies: a change requires
 * a proof as strong as the strongest method that its user has, from the last ten minutes.
 */
import { expect } from 'chai'
import { declaredRoutes } from '../support/api/declared-routes.ts'
import { sessionCommands } from '../../adapters/application/commands/sessions.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import type { Declared } from '../../adapters/inbound/http/declaration.ts'
import type { Role } from '../../domain/roles.ts'
import type { SignInMethod } from '../../domain/session/events.ts'
import { userDecider, userStream } from '../../domain/user/decider.ts'
import { apiKey } from '../support/api/api-keys.ts'
import { deviceWorld } from '../support/sign-in/device-authorization.ts'
import { movableClock } from '../support/service/movable-clock.ts'
import {
  system,
  testPlace,
  testService,
  type TestPerson,
  type TestService,
} from '../support/service/service.ts'
import { attemptsAt, changesOf, nameOf, withoutProof, type Attempt } from '../support/sign-in/strength.ts'

const ELEVEN_MINUTES = 660
const DAY_SECONDS = 86_400

/** The result of a request: past the proof, or the error code of its rejection. */
type Outcome =
  | 'passes'
  | 'ERR_REAUTH_REQUIRED'
  | 'ERR_STRONGER_AUTH_REQUIRED'
  | 'ERR_UNAUTHENTICATED'
  | 'ERR_FORBIDDEN'

const outcomes: ReadonlySet<string> = new Set<Outcome>([
  'ERR_REAUTH_REQUIRED',
  'ERR_STRONGER_AUTH_REQUIRED',
  'ERR_UNAUTHENTICATED',
  'ERR_FORBIDDEN',
])

/** From the weakest to the strongest; methods in one row are equally strong. */
const ranking: readonly (readonly SignInMethod[])[] = [
  ['enrollment_link'],
  ['magic_link'],
  ['authenticator_code', 'recovery_code'],
  ['identity_provider'],
  ['passkey', 'security_key'],
]
const rankOf = (methods: readonly SignInMethod[]): number =>
  Math.max(...methods.map((method) => ranking.findIndex((row) => row.includes(method))))

const waysIn: readonly (readonly SignInMethod[])[] = [
  ['passkey'],
  ['security_key'],
  ['identity_provider'],
  ['authenticator_code'],
  ['recovery_code'],
  ['magic_link'],
  ['enrollment_link', 'passkey'],
  ['enrollment_link', 'authenticator_code'],
]

interface Holder extends TestPerson {
  readonly strongest: SignInMethod
}

describe('the proof that a change requires', function () {
  this.timeout(300_000)
  let service: TestService
  let owner: TestPerson
  let routes: readonly Declared[]
  let identityProviderId = ''

  before(async () => {
    service = await testService()
    owner = await service.person({}, ['global_admin'])
    const provider = { type: 'google', name: 'Google', clientId: 'us', clientSecret: 'secret' }
    const { body } = await service.api('POST', '/identity-providers', { as: owner, body: provider })
    identityProviderId = body.id
    routes = changesOf(declaredRoutes(service.core.services))
  })
  after(() => service.stop())

  /** Creates a user with only these sign-in methods. */
  const holderOf = async (
    strongest: 'passkey' | 'authenticator_code' | 'identity_provider',
    roles: readonly Role[],
  ) => {
    const person = await service.person({}, roles)
    const { userId } = person
    const users = userCommands(service.core.services)
    if (strongest === 'passkey') return { ...person, strongest }
    if (strongest === 'authenticator_code')
      await users.addMethod(
        userId,
        { methodId: newId('method'), methodType: strongest, name: 'App', sealedSecret: 'sealed' },
        system,
      )
    else
      await service.core.services.handle(
        userDecider,
        userStream(userId),
        {
          type: 'link_account',
          userId,
          account: {
            linkId: newId('linkedAccount'),
            identityProviderId,
            subject: userId,
            email: null,
          },
        },
        system,
      )
    const { body } = await service.api('GET', `/users/${userId}/methods`, { as: owner })
    const [passkey] = body.filter(({ type }: { type: string }) => type === 'passkey')
    await users.removeMethod(userId, passkey.id, 'system', system)
    return { ...person, strongest }
  }

  const ask = async (
    { method, path, body }: Attempt,
    credential: { as?: TestPerson; headers?: Record<string, string> },
  ): Promise<Outcome> => {
    const answer = await service.api(method, path, { ...credential, body })
    const code = String(answer.body?.error?.code)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.within(400, 422)
    return outcomes.has(code) ? (code as Outcome) : 'passes'
  }

  const asking = (): readonly Attempt[] =>
    routes.filter(({ access }) => access.reauthentication !== undefined).flatMap(attemptsAt)

  const requireStrong = async (value: boolean) => {
    const { status } = await service.api('PATCH', '/settings', {
      as: await service.signIn(owner.userId, owner.email),
      body: { requireStrongForAdmins: value },
    })
    expect(status).to.equal(200)
  }

  it('SGN-01 API-02 every route that changes something declares the proof it requires, or why it requires none', () => {
    const declared = new Set(
      routes.filter(({ access }) => access.reauthentication !== undefined).map((route) => nameOf(route)),
    )
    const undecided = routes.map(nameOf).filter((name) => !declared.has(name) && !withoutProof.has(name))
    expect(
      undecided,
      'declare `reauthentication`, or say why not in tests/support/sign-in/strength.ts',
    ).to.deep.equal([])
    const known = new Set(routes.map(nameOf))
    expect([...withoutProof.keys()].filter((name) => declared.has(name) || !known.has(name))).to.deep.equal(
      [],
    )
    expect(declared.size).to.be.greaterThan(25)
  })

  for (const setting of [true, false])
    for (const strongest of ['passkey', 'authenticator_code', 'identity_provider'] as const)
      it(`SGN-01 AUT-05 an administrator with ${strongest}, requireStrongForAdmins ${setting ? 'on' : 'off'}`, async () => {
        await requireStrong(setting)
        const holder: Holder = await holderOf(strongest, ['global_admin'])
        for (const methods of waysIn)
          for (const age of [0, ELEVEN_MINUTES]) {
            const as = await service.signIn(holder.userId, holder.email, { methods, age })
            for (const attempt of asking()) {
              const { roles } = attempt.route.access
              const withheld = setting && roles !== undefined && rankOf(methods) < rankOf(['passkey'])
              const weak = rankOf(methods) < rankOf([strongest])
              const expected: Outcome =
                withheld || weak ? 'ERR_STRONGER_AUTH_REQUIRED' : age > 0 ? 'ERR_REAUTH_REQUIRED' : 'passes'
              expect(
                await ask(attempt, { as }),
                `${nameOf(attempt.route)} by ${methods.join(' and ')}, ${String(age)} s ago`,
              ).to.equal(expected)
            }
          }
      })

  it('SGN-01 AUT-05 a user who was granted a role must sign in again, even for changes of their own account', async () => {
    await requireStrong(true)
    for (const methods of waysIn) {
      const person = await service.person()
      const as = await service.signIn(person.userId, person.email, { methods })
      const { status } = await service.api('PUT', `/users/${person.userId}/roles`, {
        as: await service.signIn(owner.userId, owner.email),
        body: { roles: ['global_admin'] },
      })
      expect(status).to.equal(200)
      const expected =
        rankOf(methods) < rankOf(['passkey']) ? 'ERR_STRONGER_AUTH_REQUIRED' : 'ERR_REAUTH_REQUIRED'
      for (const attempt of asking())
        expect(await ask(attempt, { as }), `${nameOf(attempt.route)} by ${methods.join(' and ')}`).to.equal(
          expected,
        )
    }
  })

  it('SGN-01 CLI-01 a session of svc dev-session is invalid if the service does not run for development', async () => {
    const as = await service.signIn(owner.userId, owner.email, { methods: ['development'] })
    for (const attempt of asking()) expect(await ask(attempt, { as })).to.equal('ERR_UNAUTHENTICATED')
  })

  it('SGN-01 AUT-02 a token of the command-line client provides no proof, and an API key needs none', async () => {
    const { body } = await deviceWorld(service).signIn(await service.signIn(owner.userId, owner.email))
    const cli = { headers: { Authorization: `Bearer ${String(body.access_token)}` } }
    const program = await apiKey(service, { roles: ['global_admin'] })
    for (const attempt of asking()) {
      const { credentials, terminalsExempt = false } = attempt.route.access
      const name = nameOf(attempt.route)
      const ofTerminal = terminalsExempt ? 'passes' : 'ERR_REAUTH_REQUIRED'
      expect(await ask(attempt, cli), name).to.equal(
        credentials.includes('cli_token') ? ofTerminal : 'ERR_UNAUTHENTICATED',
      )
      expect(await ask(attempt, { headers: program.headers }), name).to.equal(
        credentials.includes('api_key') ? 'passes' : 'ERR_UNAUTHENTICATED',
      )
    }
  })

  it('SGN-01 AUT-02 a token for administration has the proof that its user gave before approving it, for ten minutes', async () => {
    const clock = movableClock(service.core.services.clock)
    const place = await testPlace()
    const moved = await testService(place, { clock })
    try {
      const person = await moved.person({}, ['global_admin'])
      const recent = await moved.signIn(person.userId, person.email, { age: 300 })
      const { headers } = await deviceWorld(moved).administer(recent)
      const { userId } = await moved.person()
      const grant = () =>
        moved.api('PUT', `/users/${userId}/roles`, { headers, body: { roles: ['auditor'] } })
      expect((await grant()).status).to.equal(200)
      // The user signs in again in the browser: the terminal has shown nothing new.
      await sessionCommands(moved.core.services).start(
        {
          proofId: newId('session'),
          userId: person.userId,
          methodId: null,
          methods: ['passkey'],
          userVerified: true,
          ip: '127.0.0.1',
          userAgent: 'test',
          deviceId: null,
          location: null,
          risk: 'none',
          current: { sessionId: recent.sessionId, userId: person.userId },
        },
        system,
      )
      clock.forward(301 / DAY_SECONDS)
      const late = await grant()
      expect([late.status, late.body.error.code]).to.deep.equal([401, 'ERR_REAUTH_REQUIRED'])
      expect(late.body.error.message).to.match(/svc login --admin/)
      expect((await moved.api('GET', '/users', { headers })).status).to.equal(200)
    } finally {
      await moved.stop()
      await place.drop()
    }
  })

  it('SGN-01 AUT-02 a token for administration is accepted where API keys are, and provides the proof of its user', async () => {
    const { headers } = await deviceWorld(service).administer(await service.signIn(owner.userId, owner.email))
    for (const attempt of asking()) {
      const { credentials, terminalsExempt = false } = attempt.route.access
      // For what belongs to its user, it is a token like any other.
      const ofTerminal = terminalsExempt ? 'passes' : 'ERR_REAUTH_REQUIRED'
      const otherwise = credentials.includes('cli_token') ? ofTerminal : 'ERR_UNAUTHENTICATED'
      expect(await ask(attempt, { headers }), nameOf(attempt.route)).to.equal(
        credentials.includes('api_key') ? 'passes' : otherwise,
      )
    }
  })

  it('SGN-01 a field that requires no proof can also be changed in an old session', async () => {
    const old = await service.signIn(owner.userId, owner.email, { age: ELEVEN_MINUTES })
    const { userId } = await service.person()
    const change = (body: object) => service.api('PATCH', `/users/${userId}`, { as: old, body })
    expect((await change({ title: 'Countess' })).status).to.equal(200)
    expect((await change({ title: 'Countess', email: 'countess@example.com' })).body.error.code).to.equal(
      'ERR_REAUTH_REQUIRED',
    )
  })
})
