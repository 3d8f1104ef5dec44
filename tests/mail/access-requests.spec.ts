import { expect } from 'chai'
import { newId } from '../../adapters/kernel/ids.ts'
import {
  accessRequestDecider,
  accessRequestStream,
  type NewAccessRequest,
} from '../../domain/access-request/decider.ts'
import { accessWorld, type AccessWorld, type Json } from '../support/api/access-packages.ts'
import { linkIn, mailPeer, mailPlace, type MailPeer } from '../support/mail/mail.ts'
import { audited } from '../support/audit/audit.ts'
import { system, type TestPlace } from '../support/service/service.ts'

describe('emails about access requests', function () {
  this.timeout(60_000)
  let peer: MailPeer
  let place: TestPlace
  let w: AccessWorld
  before(async () => {
    peer = await mailPeer()
    place = await mailPlace(peer)
    w = await accessWorld(place)
  })
  after(async () => {
    await w.service.stop()
    await place.drop()
    await peer.stop()
  })

  it('API-10 approvers get a link to the page, whose request decides nothing; the requester hears the result', async () => {
    const stages = w.approvedBy(w.stage({ type: 'manager' }))
    const { id, name } = await w.accessPackage({ name: 'Reports & <figures>', ...stages })
    const made = await w.request(id, { justification: 'The audit <b>starts</b>' })
    const asked = await peer.emailAbout(w.manager.email, `Access request: ${String(name)} for Ada`)
    expect(asked.mail.text).to.contain(`Ada requests the access package ${String(name)}.`)
    expect(asked.mail.text).to.contain('Reason given: The audit <b>starts</b>')
    expect(String(asked.mail.html)).not.to.contain('<b>starts')
    const link = linkIn(asked, '/account/approvals')
    expect(link).to.match(new RegExp(`/account/approvals#${String(made.id)}$`))
    const page = await fetch(link, { headers: { Cookie: w.manager.cookie } })
    expect([page.status, await page.text()].join()).to.contain('Ada requests')
    expect((await w.read(made.id)).status).to.equal('pending')

    // Whoever decides instead is asked; the others are not asked again.
    await w.ok(
      'POST',
      `/access-requests/${String(made.id)}/reassign`,
      { approverId: w.owner.userId },
      w.manager,
    )
    await peer.emailAbout(w.owner.email, `Access request: ${String(name)} for Ada`)
    await w.decide(made.id, 'deny', w.owner, { comment: 'Not this quarter' })
    const answer = await peer.emailAbout(w.ada.email, `Your request of ${String(name)}`)
    expect(answer.mail.text).to.contain('was denied')
    expect(answer.mail.text).to.contain('Comment: Not this quarter')
    const toManager = (await peer.emailsTo(w.manager.email)).map(({ mail }) => mail.subject)
    expect(
      toManager.filter((subject) => subject?.startsWith(`Access request: ${String(name)}`)),
    ).to.have.length(1)
  })

  it('GOV-01 approvers who have not decided are reminded once, after half of the time', async () => {
    const { handle, clock } = w.service.core.services
    const pkg = await w.accessPackage({ name: 'Vault' })
    const requestId = newId('accessRequest')
    const request: NewAccessRequest = {
      ...{ packageId: pkg.id, packageName: pkg.name, requesterId: w.ada.userId, userId: w.ada.userId },
      ...{ requestType: 'grant', answers: {}, stages: [w.stage({ type: 'manager' }, { timeoutHours: 1 })] },
    }
    const approvers = { approverIds: [w.manager.userId, w.owner.userId], origin: 'stage' } as const
    const create = { type: 'create', requestId, request, approvers, now: clock.in(-1900) } as const
    await handle(accessRequestDecider, accessRequestStream(requestId), create, system)
    const subject = `Reminder: access request ${String(pkg.name)} for Ada`
    const { mail } = await peer.emailAbout(w.manager.email, subject)
    expect(mail.text).to.contain('Your decision is still needed')
    await peer.emailAbout(w.owner.email, subject)
    await audited(w.service)
    const entries = await w.ok('GET', `/audit?targetType=access_request&targetId=${requestId}`)
    expect(
      entries
        .filter(({ action }: Json) => action === 'access_request.remind')
        .map(({ summary, actorType }: Json) => [summary, actorType]),
    ).to.deep.equal([
      [`Reminded 2 approvers of the request of the access package ${String(pkg.name)} for Ada`, 'system'],
    ])
  })
})
