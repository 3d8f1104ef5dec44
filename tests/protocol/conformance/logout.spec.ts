/** One test for each module of the RP-Initiated and the Back-Channel Logout OP plans; infra/docs/conformance.md lists them. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { logoutReceiver, verifyLogoutToken } from '../../support/oidc/logout-receiver.ts'
import type { TestApplication } from '../../support/oidc/oidc.ts'
import type { TestPerson } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import {
  attribute,
  LOGGED_OUT,
  relyingParty,
  type Fields,
  type RelyingParty,
  type Tokens,
} from './relying-party.ts'

/** Where a sign-out ended: at the application, or on a page of the service. */
interface End {
  readonly redirect: URL | null
  readonly status: number
  readonly text: string
  /** Whether the user was asked first */
  readonly confirmed: boolean
}

describe('The OpenID Foundation’s plans for sign-out', () => {
  let rp: RelyingParty
  before(async () => {
    rp = await relyingParty()
  })
  after(() => rp.stop())

  /** Creates a user with a separate session for this module, and tokens issued from it. */
  const signedIn = async (app?: TestApplication): Promise<{ person: TestPerson; tokens: Tokens }> => {
    const person = await rp.service.signIn(rp.person.userId, rp.person.email)
    return { person, tokens: await rp.flow({ state: 's'.repeat(128) }, person, app) }
  }

  const all = ({ idToken }: Pick<Tokens, 'idToken'>): Fields => ({
    id_token_hint: idToken,
    post_logout_redirect_uri: LOGGED_OUT,
    state: 'z'.repeat(128),
  })

  const without = (fields: Fields, ...names: readonly string[]): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

  /** Signs out like a browser: follows redirects of the service, and confirms if asked. */
  const signOut = async (fields: Fields, person: TestPerson): Promise<End> => {
    const { origin } = new URL(rp.service.publicUrl)
    const endpoint = new URL(rp.metadata.end_session_endpoint)
    endpoint.search = new URLSearchParams(fields).toString()
    let answer = await rp.world.browse(`${endpoint.pathname}${endpoint.search}`, person)
    let confirmed = false
    for (let hops = 0; hops < 5; hops++) {
      if (answer.location !== null) {
        const to = new URL(answer.location)
        if (to.origin !== origin) return { redirect: to, status: answer.status, text: '', confirmed }
        answer = await rp.world.browse(`${to.pathname}${to.search}`, person)
        continue
      }
      const form = /<form\b[^>]*method="post"[^>]*>[\s\S]*?<\/form>/i.exec(answer.text)?.[0]
      if (form === undefined || confirmed) break
      const action = new URL(attribute(form, 'action'), endpoint)
      expect(action.origin).to.equal(origin)
      // The first button is the one that continues.
      const named = (tag: string) => [...form.matchAll(new RegExp(`<${tag}\\b[^>]*\\bname="[^>]*>`, 'g'))]
      const inputs = [...named('input'), ...named('button').slice(0, 1)].map(([tag]) => tag)
      answer = await rp.world.browse(`${action.pathname}${action.search}`, person, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin },
        body: new URLSearchParams(
          Object.fromEntries(inputs.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')])),
        ).toString(),
      })
      confirmed = true
    }
    expect(answer.headers.get('content-type')).to.match(/^text\/html/)
    return { redirect: null, status: answer.status, text: answer.text, confirmed }
  }

  const backAtTheApplication = (end: End, query: Fields): void => {
    expect(end.redirect?.href.split('?')[0], end.text).to.equal(LOGGED_OUT)
    expect(Object.fromEntries(end.redirect?.searchParams ?? [])).to.deep.equal(query)
    expect(end.confirmed).to.be.false
  }

  const onAPage = (end: End, statuses: readonly number[]): void => {
    expect(end.redirect?.href ?? null).to.be.null
    expect(end.status).to.be.oneOf(statuses)
  }

  /** Expects that the user has signed out and sees a page. */
  const leftOnAPage = async (fields: Fields, person: TestPerson): Promise<End> => {
    const end = await signOut(fields, person)
    onAPage(end, [200])
    await rp.isSignedOut(person)
    return end
  }

  /** Expects an error page or a confirmation page, without a redirect to the application. */
  const staysOnAPage = async (fields: Fields, person: TestPerson): Promise<void> => {
    onAPage(await signOut(fields, person), [200, 400])
  }

  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

  describe('oidcc-rp-initiated-logout-certification-test-plan', () => {
    it('oidcc-rp-initiated-logout-discovery-endpoint-verification OIDC-01 contains the end-session endpoint', () => {
      const { end_session_endpoint: endpoint, issuer } = rp.metadata
      expect(endpoint)
        .to.be.a('string')
        .and.satisfy((text: string) => text.startsWith(`${String(issuer)}/`))
    })

    it('oidcc-rp-initiated-logout OIDC-13 signs out and goes back, with the state', async () => {
      const { person, tokens } = await signedIn()
      const fields = all(tokens)
      backAtTheApplication(await signOut(fields, person), { state: fields['state'] ?? '' })
      await rp.isSignedOut(person)
      expect((await rp.world.userinfo(tokens.accessToken)).status).to.equal(401)
    })

    it('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri OIDC-13 does not redirect', async () => {
      const { person, tokens } = await signedIn()
      const bad = 'https://app.example.com/bad_post_logout_redirect_uri'
      await staysOnAPage({ ...all(tokens), post_logout_redirect_uri: bad }, person)
    })

    it('oidcc-rp-initiated-logout-modified-id-token-hint OIDC-13 does not redirect for an unsigned token', async () => {
      const { person, tokens } = await signedIn()
      const idToken = `${part({ alg: 'none' })}.${tokens.idToken.split('.')[1] ?? ''}.`
      await staysOnAPage(all({ idToken }), person)
    })

    it('oidcc-rp-initiated-logout-no-id-token-hint OIDC-13 does not redirect', async () => {
      const { person, tokens } = await signedIn()
      await staysOnAPage(without(all(tokens), 'id_token_hint'), person)
    })

    it('oidcc-rp-initiated-logout-no-params OIDC-13 asks and signs out', async () => {
      const { person } = await signedIn()
      expect((await leftOnAPage({}, person)).confirmed).to.be.true
    })

    it('oidcc-rp-initiated-logout-no-post-logout-redirect-uri OIDC-13 signs out and confirms it', async () => {
      const { person, tokens } = await signedIn()
      await leftOnAPage(without(all(tokens), 'post_logout_redirect_uri'), person)
    })

    it('oidcc-rp-initiated-logout-no-state OIDC-13 signs out and goes back, without a state', async () => {
      const { person, tokens } = await signedIn()
      backAtTheApplication(await signOut(without(all(tokens), 'state'), person), {})
      await rp.isSignedOut(person)
    })

    it('oidcc-rp-initiated-logout-only-state OIDC-13 asks and signs out', async () => {
      const { person, tokens } = await signedIn()
      const fields = without(all(tokens), 'id_token_hint', 'post_logout_redirect_uri')
      expect((await leftOnAPage(fields, person)).confirmed).to.be.true
    })

    it('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri OIDC-13 does not redirect', async () => {
      const { person, tokens } = await signedIn()
      await staysOnAPage({ ...all(tokens), post_logout_redirect_uri: `${LOGGED_OUT}?foo=bar` }, person)
    })

    it('oidcc-rp-initiated-logout-bad-id-token-hint OIDC-13 does not redirect for a token with a foreign signature', async () => {
      const { person } = await signedIn()
      const iat = Math.floor(Date.now() / 1000)
      const claims = { iss: rp.app.clientId, sub: 'SubjectID', aud: rp.metadata.issuer, nonce: 'flibble' }
      const signed = `${part({ alg: 'HS256' })}.${part({ ...claims, iat, exp: iat + 300 })}`
      const mac = createHmac('sha256', rp.app.secret).update(signed).digest('base64url')
      await staysOnAPage(all({ idToken: `${signed}.${mac}` }), person)
    })
  })

  describe('oidcc-backchannel-rp-initiated-logout-certification-test-plan', () => {
    it('oidcc-backchannel-logout-discovery-endpoint-verification OIDC-01 OIDC-13 offers notices that name the session', () => {
      expect(rp.metadata).to.include({
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
      })
      expect(rp.metadata.end_session_endpoint).to.be.a('string')
    })

    it('oidcc-backchannel-rp-initiated-logout OIDC-13 notifies the application, signs out and goes back', async () => {
      const receiver = await logoutReceiver()
      try {
        const app = await rp.register({ backchannelLogoutUri: receiver.url('/out') })
        const { person, tokens } = await signedIn(app)
        const fields = all(tokens)
        backAtTheApplication(await signOut(fields, person), { state: fields['state'] ?? '' })
        await until(() => receiver.received.length > 0, 10_000, 'the application is notified')
        await rp.isSignedOut(person, app)

        expect(receiver.received).to.have.length(1)
        const [notice] = receiver.received
        expect([...new URLSearchParams(notice?.body).keys()]).to.deep.equal(['logout_token'])
        const { payload } = await verifyLogoutToken(notice?.token ?? '', rp.metadata.issuer, app.clientId)
        expect(payload).to.include({ sub: tokens.claims.sub, sid: tokens.claims['sid'] })
        expect(payload).not.to.have.property('nonce')
        expect(payload.jti).to.be.a('string').and.not.be.empty
        expect(payload.iat).to.be.closeTo(Date.now() / 1000, 300)
        expect(payload['events']).to.deep.equal({ 'http://schemas.openid.net/event/backchannel-logout': {} })
      } finally {
        receiver.close()
      }
    })
  })
})
