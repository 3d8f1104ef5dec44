import { expect } from 'chai'
import { accessWorld, type AccessWorld } from '../support/api/access-packages.ts'
import { mailPeer, mailPlace, type MailPeer } from '../support/mail/mail.ts'
import type { TestPlace } from '../support/service/service.ts'

describe('emails of lifecycle rules', function () {
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

  it('GOV-03 go to the user or the manager, as text, with the placeholders filled in', async () => {
    const email = {
      type: 'send_email',
      text: 'Hello {{user.name}},\n\n<b>Welcome</b> to {{organization.name}}.',
    }
    const { id } = await w.ok('POST', '/lifecycle/rules', {
      ...{ name: 'Welcome', trigger: { type: 'user_created' } },
      actions: [
        { ...email, to: 'user', subject: 'Welcome, {{user.name}}' },
        { ...email, to: 'manager', subject: 'Please welcome {{user.name}}' },
      ],
    })
    await w.ok('POST', `/lifecycle/rules/${String(id)}/run`, { userIds: [w.ada.userId] })
    const own = await peer.emailAbout(w.ada.email, 'Welcome, Ada')
    expect(own.mail.text).to.contain('Hello Ada,').and.to.contain('<b>Welcome</b>')
    expect(String(own.mail.html)).not.to.contain('<b>Welcome')
    await peer.emailAbout(w.manager.email, 'Please welcome Ada')
  })

  it('GOV-03 tell the administrators of users that a rule was paused', async () => {
    const { id } = await w.ok('POST', '/lifecycle/rules', {
      ...{ name: 'Movers', enabled: true, maxPerRun: 1 },
      trigger: { type: 'attribute_changed', attribute: 'title' },
      actions: [{ type: 'end_sessions' }],
    })
    await w.ok('PATCH', `/users/${w.ada.userId}`, { title: 'Lead' })
    await w.ok('PATCH', `/users/${w.owner.userId}`, { title: 'Lead' })
    const told = await peer.emailAbout(w.admin.email, 'The lifecycle rule Movers was paused')
    expect(told.mail.text)
      .to.contain('2 users were due')
      .and.to.contain(`/console/lifecycle/${String(id)}`)
  })
})
