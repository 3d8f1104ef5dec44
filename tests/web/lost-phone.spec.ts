/**
 * A user loses the device that they sign in with, and has access again within minutes, with no earlier session still
 * open.
 */
import { expect } from 'chai'
import { atAccount, type AccountBrowser } from '../support/browser/account-browser.ts'
import { virtualAuthenticator } from '../support/browser/browser.ts'
import { linkIn, mailPeer, mailPlace, type MailPeer } from '../support/mail/mail.ts'
import { oidcWorld, outcome } from '../support/oidc/oidc.ts'
import { testService, type TestPlace, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

describe('a lost phone', function () {
  this.timeout(120_000)
  let peer: MailPeer
  let place: TestPlace
  let service: TestService
  let ada: AccountBrowser

  before(async () => {
    peer = await mailPeer()
    place = await mailPlace(peer)
    service = await testService(place)
    ada = await atAccount(service)
  })
  after(async () => {
    await ada.close()
    await service.stop()
    await place.drop()
    await peer.stop()
    expect(ada.faults).to.deep.equal([])
  })

  it('SGN-01 SGN-03 SGN-05 API-07 AUT-01 OIDC-18 is replaced with the help of the helpdesk and an email', async () => {
    const oidc = oidcWorld(service)
    const app = await oidc.application()
    await oidc.join(app.groupId, ada.userId)
    const before = await ada.as()
    const tokens = await oidc.tokens(app, before)
    const helpdesk = await service.person({ name: 'Hedy' }, ['helpdesk_admin'])
    const auditor = await service.person({}, ['auditor'])
    // An email that gives access to the account is sent only to a verified address.
    await service.verified({ ...before, userId: ada.userId, email: ada.email })
    await ada.device.remove()

    const reset = await service.api('POST', `/users/${ada.userId}/reset-methods`, { as: helpdesk })
    expect([reset.status, reset.body.emailed]).to.deep.equal([200, true])

    // The holder of the phone has no access left: neither to the account nor through tokens of applications.
    expect((await service.api('GET', '/me', { as: before })).status).to.equal(401)
    expect((await oidc.userinfo(tokens.access_token)).status).to.equal(401)
    expect((await oidc.introspect(app, tokens.access_token)).body).to.deep.equal({ active: false })
    expect(outcome(await oidc.refresh(app, tokens.refresh_token))).to.deep.equal([400, 'invalid_grant'])
    await ada.go('/account')
    await ada.at('/sign-in')

    const message = await peer.emailAbout(ada.email, 'Your sign-in methods were reset')
    const link = linkIn(message, '/enroll/')
    expect(link).not.to.equal(reset.body.enrollUrl)
    const phone = await virtualAuthenticator(ada.page)
    await ada.page.goto(link)
    await ada.sound()
    await ada.page.click('button:has-text("Create a passkey")')
    await ada.at('/account')
    expect(await phone.credentials()).to.equal(1)
    await ada.sound()
    expect(await ada.page.innerText('.facts')).to.match(/[^t] Verified|\nVerified/)
    expect(await ada.page.innerText('main')).to.contain('You have only one sign-in method.')
    await ada.go('/account/activity')
    expect(await ada.page.locator('section:has(#sessions) .rows > li').count()).to.equal(1)

    // Neither of the two links works any more.
    for (const used of [link, reset.body.enrollUrl as string])
      expect((await fetch(used)).status, used).to.equal(404)
    expect(outcome(await oidc.refresh(app, tokens.refresh_token))).to.deep.equal([400, 'invalid_grant'])
    const after = await ada.as()
    expect((await oidc.tokens(app, after)).refresh_token).to.be.a('string')

    const signIns = await service.api('GET', '/me/sign-ins', { as: after })
    const own = (signIns.body as { method: string; result: string; appId: string | null }[]).filter(
      ({ appId }) => appId === null,
    )
    expect(own.map(({ method, result }) => [method, result])).to.deep.equal([
      ['enrollment_link', 'success'],
      ['enrollment_link', 'success'],
    ])

    interface Entry {
      readonly action: string
      readonly actorId: string
    }
    const audited = async (): Promise<readonly Entry[]> => {
      const { body } = await service.api('GET', `/users/${ada.userId}/audit`, { as: auditor })
      return (body as Entry[]).toReversed()
    }
    const newest = async () => (await audited()).slice(-2).map(({ action }) => action)
    await until(async () => (await newest()).join() === 'user.methods.reset,method.add', 10_000, 'the audit')
    const entries = await audited()
    expect(entries[0]?.action).to.equal('user.invite')
    const last = entries.slice(entries.findIndex(({ action }) => action === 'user.methods.reset'))
    expect(last.map(({ action, actorId }) => [action, actorId])).to.deep.equal([
      ['user.methods.reset', helpdesk.userId],
      ['method.add', ada.userId],
    ])
  })
})
