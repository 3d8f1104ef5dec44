/**
 * Availability within the limits: anonymous requests cannot lock out a user or an application. SVC_CAMPAIGN_RUNS and
 * SVC_TEST_SEED set its length and its seed.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { declaredRoutes } from '../support/api/declared-routes.ts'
import { isOpen } from '../../adapters/inbound/http/declaration.ts'
import { defaultLimits } from '../../adapters/inbound/http/rate-limit-rules.ts'
import type { OidcDeps } from '../../adapters/inbound/oidc/context.ts'
import { protocolEndpoints } from '../../cli/server/protocol-endpoints.ts'
import {
  anonymousOperations,
  harmlessOperations,
  type AnonymousOperation,
  type Victims,
} from '../support/hostile/anonymous-operations.ts'
import { mailPeer, mailPlace, tokenIn, type MailPeer } from '../support/mail/mail.ts'
import { oidcWorld, pkce, type TestApplication } from '../support/oidc/oidc.ts'
import {
  newJar,
  passkeyWorld,
  FIREFOX,
  type Jar,
  type PasskeyPerson,
} from '../support/sign-in/passkey-world.ts'
import { samlWorld } from '../support/saml/saml.ts'
import { testService, type TestPlace, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { SEED } from '../support/random.ts'

const RUNS = Number(process.env['SVC_CAMPAIGN_RUNS'] ?? 1)

/** Networks of attackers, besides the user's network. */
const networks = ['192.0.2.1', '192.0.2.2', '2001:db8:1:2::1']
const AT_ONCE = 8
/** Pending rows of attackers: the maximum, from many networks. */
const WAITING = 50_000

/** The protocol endpoints use these only for a request. */
const unused = {} as OidcDeps

describe('availability within the limits', function () {
  this.timeout(60_000 + RUNS * 60_000)
  let peer: MailPeer
  let place: TestPlace
  let service: TestService
  let passkeys: ReturnType<typeof passkeyWorld>
  let world: ReturnType<typeof oidcWorld>
  let web: TestApplication
  let machine: TestApplication
  let common: Pick<Victims, 'web' | 'machine' | 'cli' | 'provider'>

  before(async () => {
    peer = await mailPeer()
    const base = await mailPlace(peer)
    const { config } = base
    place = {
      ...base,
      config: { ...config, rateLimits: defaultLimits, trustedProxies: ['127.0.0.1/32', '::1/128'] },
    }
    service = await testService(place)
    passkeys = passkeyWorld(service)
    world = oidcWorld(service)
    web = await world.application()
    machine = await world.application('service', { redirectUris: [] })
    const provider = await samlWorld(service, world).provider()
    const { applicationByClientId } = await service.core.services.configuration.fresh()
    const cli = [...applicationByClientId.values()].find(({ builtIn }) => builtIn)
    common = { web, machine, cli: { clientId: cli?.clientId ?? '' }, provider }
  })
  after(async () => {
    await service.stop()
    await place.drop()
    await peer.stop()
  })

  /** A user of one run, with a browser at an address that an attacker shares: limits per user outlast a run. */
  const user = async (home: string): Promise<{ ada: PasskeyPerson; jar: Jar; recoveryCode: string }> => {
    const jar = newJar(FIREFOX, { 'X-Forwarded-For': home })
    const ada = await passkeys.enrolled(jar)
    const session = await passkeys.signIn(ada, jar)
    await service.verified(session)
    const codes = await service.api('POST', '/me/methods/recovery-codes', { as: session })
    return { ada, jar, recoveryCode: codes.body.recoveryCodes[0] }
  }

  const send = async (
    operation: AnonymousOperation,
    victims: Victims,
    n: number,
    ip: string,
  ): Promise<number> => {
    const { path, method, headers = {}, json, form } = operation.request(victims, n)
    const response = await fetch(service.publicUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...headers,
        'X-Forwarded-For': ip,
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(json !== undefined ? { body: JSON.stringify(json) } : {}),
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    })
    await response.arrayBuffer()
    return response.status
  }

  /** Sends every kind of request from every network, in an order that the seed determines. */
  const attack = async (seed: number, victims: Victims, home: string): Promise<void> => {
    await service.core.workPool.query(
      `insert into work.auth_request (id, application_id, parameters, created_at, expires_at, origin, site)
       select 'flood ' || $1::text || ' ' || n, $2, '""', now(), now() + interval '15 minutes', 'net ' || n % 90, 'net ' || n % 90
       from generate_series(1, $3) n`,
      [seed, web.applicationId, WAITING],
    )
    const requests = [...anonymousOperations.values()].flatMap((operation) =>
      [...networks, home].flatMap((ip) =>
        Array.from({ length: operation.times }, (_, n) => ({ operation, n, ip })),
      ),
    )
    const [shuffled = []] = fc.sample(
      fc.shuffledSubarray(requests, { minLength: requests.length, maxLength: requests.length }),
      { numRuns: 1, seed },
    )
    const left = [...shuffled]
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) {
          const { operation, n, ip } = next
          const { path, method } = operation.request(victims, n)
          expect(await send(operation, victims, n, ip), `${method} ${path}`).to.be.lessThan(500)
        }
      }),
    )
  }

  it('SGN-05 covers every operation without credentials', () => {
    const routes = declaredRoutes(service.core.services)
      .filter(isOpen)
      .map(({ method, path }) => `${method} ${path}`)
    const endpoints = protocolEndpoints(service.core.services, unused).flatMap(({ path, handlers }) =>
      Object.keys(handlers)
        .filter((method) => method !== 'OPTIONS')
        .map((method) => `${method} ${path}`),
    )
    const named = [...anonymousOperations.keys(), ...harmlessOperations]
    expect([...named].sort()).to.deep.equal([...routes, ...endpoints].sort())
  })

  for (let run = 0; run < RUNS; run++)
    it(`SGN-05 OIDC-01 users and applications can sign in, whatever unknown clients do (seed ${String(SEED + run)})`, async () => {
      const home = `198.51.100.${String(run % 250)}`
      const { ada, jar, recoveryCode } = await user(home)
      await attack(SEED + run, { ...ada, ...common }, home)

      // The user, in a known browser, at an address that an attacker shares.
      const typed = await passkeys.post(jar, '/auth/code', { email: ada.email, code: recoveryCode })
      expect(typed.status, `by code: ${JSON.stringify(typed.body)}`).to.equal(200)
      expect((await passkeys.tryIn(ada, jar)).status, 'by passkey').to.equal(200)
      const links = () =>
        peer.received.filter(
          ({ to, mail }) => to.includes(ada.email) && mail.text?.includes('/magic-link/') === true,
        )
      await until(
        async () =>
          (await service.core.workPool.query('select from work.magic_link where user_id is null'))
            .rowCount === 0,
        20_000,
      )
      const before = links().length
      expect((await passkeys.post(jar, '/auth/magic-link', { email: ada.email })).status).to.equal(204)
      await until(() => links().length > before, 20_000, 'the link')
      const last = links().at(-1)
      if (last === undefined) expect.fail('no email')
      const came = await passkeys.post(jar, '/auth/magic-link/redeem', {
        token: tokenIn(last, '/magic-link/'),
      })
      expect(came.status, 'by link').to.equal(200)

      // A new user, from a network that has sent nothing before.
      const visitor = newJar(FIREFOX, { 'X-Forwarded-For': `203.0.113.${String(run % 250)}` })
      const grace = await passkeys.enrolled(visitor)
      await world.join(web.groupId, grace.userId)
      visitor.cookies.clear()
      const { verifier, challenge } = pkce()
      const browse = (path: string) => world.browse(path, null, { headers: visitor.headers() })
      const query = new URLSearchParams({
        client_id: web.clientId,
        redirect_uri: 'https://app.example.com/callback',
        response_type: 'code',
        scope: 'openid',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
      const answer = await browse(`/oauth2/authorize?${query.toString()}`)
      const authRequest = answer.query['authRequest'] ?? expect.fail(`no sign-in: ${answer.location ?? ''}`)
      const signedIn = await passkeys.tryIn(grace, visitor, authRequest)
      expect(signedIn.status, JSON.stringify(signedIn.body)).to.equal(200)
      const answered = await browse(String(signedIn.body.redirectTo))
      const tokens = await world.redeem(web, { code: answered.query['code'] ?? '', verifier })
      expect(tokens.status, JSON.stringify(tokens.body)).to.equal(200)

      // An application at the address of an attacker.
      const own = await world.token(
        { grant_type: 'client_credentials', client_id: machine.clientId, client_secret: machine.secret },
        { 'X-Forwarded-For': home },
      )
      expect(own.status, JSON.stringify(own.body)).to.equal(200)
      const ready = await fetch(`${service.publicUrl}/readyz`)
      expect(ready.status).to.equal(200)
    })
})
