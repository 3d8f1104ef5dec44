import { expect } from 'chai'
import { logoutSettings, logoutWorld, OUT, type LogoutWorld } from '../../support/oidc/logout.ts'
import type { OidcWorld } from '../../support/oidc/oidc.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('OIDC-13 signing out: attacks', () => {
  let service: TestService
  let world: OidcWorld
  let logouts: LogoutWorld
  before(async () => {
    service = await testService()
    logouts = logoutWorld(service)
    world = logouts.world
  })
  after(() => service.stop())

  it('no open redirect: an unregistered address gets an error page, and nothing is changed', async () => {
    const at = await logouts.signedIn()
    for (const uri of [
      'https://evil.example/',
      `${OUT}/`,
      `${OUT}?next=https://evil.example`,
      'https://app.example.com.evil.example/signed-out',
      'https://app.example.com@evil.example/signed-out',
      '//evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
      logoutSettings.redirectUris[0] ?? '',
    ])
      for (const proof of [{ id_token_hint: at.idToken }, { client_id: at.app.clientId }] as const) {
        const parameters = { ...proof, post_logout_redirect_uri: uri }
        for (const answer of [
          await logouts.logout(parameters, at.person),
          await logouts.logout(parameters, null),
          await logouts.post('/oauth2/logout', parameters, at.person),
        ]) {
          expect(answer.status, uri).to.equal(400)
          expect(answer.location, uri).to.equal(null)
          expect(answer.text, uri).not.to.include('href="//').and.not.to.include('evil.example')
        }
      }
    expect((await logouts.logout({ post_logout_redirect_uri: OUT }, null)).status).to.equal(400)
    await logouts.allIsWell(at)
  })

  it('no open redirect through the data of the confirmation form', async () => {
    const at = await logouts.signedIn()
    const answer = await logouts.logout(
      { client_id: at.app.clientId, post_logout_redirect_uri: OUT },
      at.person,
    )
    const question = logouts.questionIn(answer.text)
    for (const forged of [
      `${question.slice(0, -4)}AAAA`,
      Buffer.from(JSON.stringify({ target: 'https://evil.example' })).toString('base64url'),
      '',
    ]) {
      const answer = await logouts.post(
        '/oauth2/logout/confirm',
        {
          question: forged,
          target: 'https://evil.example',
          post_logout_redirect_uri: 'https://evil.example',
        },
        at.person,
      )
      expect(answer.location).to.equal(`${service.publicUrl}/oauth2/logout`)
    }
    await logouts.allIsWell(at)
  })

  it('no cross-site sign-out: neither a link, nor a form, nor the confirmation form of another user', async () => {
    const at = await logouts.signedIn()
    const attacker = await world.member(at.app)
    await logouts.logout({}, at.person)
    await logouts.post('/oauth2/logout', {}, at.person)
    const own = logouts.questionIn((await logouts.logout({}, attacker)).text)
    const theirs = logouts.questionIn((await logouts.logout({}, at.person)).text)
    const foreign = [
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'same-site', Origin: 'https://evil.localhost' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
    ]
    for (const headers of foreign) {
      const answer = await logouts.post('/oauth2/logout/confirm', { question: theirs }, at.person, headers)
      expect(answer.status, JSON.stringify(headers)).to.equal(403)
      expect(answer.text).to.include('ERR_CROSS_SITE')
    }
    // The attacker's own confirmation form in the victim's browser, without headers that old browsers omit.
    await logouts.post('/oauth2/logout/confirm', { question: own }, at.person)
    await logouts.allIsWell(at)
  })

  it('no clickjacking: the confirmation page cannot be framed and runs no foreign script', async () => {
    const at = await logouts.signedIn()
    const { headers } = await logouts.logout(
      { client_id: at.app.clientId, post_logout_redirect_uri: OUT },
      at.person,
    )
    expect(headers.get('x-frame-options')).to.equal('DENY')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).to.include("frame-ancestors 'none'").and.to.include("default-src 'none'")
    expect(policy).to.include("form-action 'self' https://app.example.com")
    expect(headers.get('cache-control')).to.equal('no-store')
  })

  it('no token in an address: nothing that is shown or redirected contains it', async () => {
    const at = await logouts.signedIn()
    const other = await logouts.signedIn()
    const answer = await logouts.logout(
      { id_token_hint: at.idToken, post_logout_redirect_uri: OUT },
      other.person,
    )
    expect(answer.text).not.to.include(at.idToken.slice(0, 40))
    expect(answer.headers.get('referrer-policy')).to.be.oneOf(['no-referrer', 'strict-origin', 'same-origin'])
    expect(service.log.lines.join('\n')).not.to.include(at.idToken.slice(-40))
  })

  it('a name is escaped', async () => {
    const app = await world.application('web', {
      ...logoutSettings,
      name: '<img src=x onerror=alert(1)>',
    } as never)
    const person = await world.member(app)
    expect((await logouts.logout({ client_id: app.clientId }, person)).text).not.to.include('<img src=x')
  })
})
