import { FIRST_ADMINISTRATOR, isPlaceholderAddress } from '../../domain/user/placeholder.ts'
import type { UserCommand } from '../../domain/user/decider.ts'
import type { UserEvent } from '../../domain/user/events.ts'
import { expect } from 'chai'
import {
  active,
  added,
  enroll,
  enrolled,
  invited,
  issued,
  link,
  moved,
  profile,
  redeemed,
  reissue,
  reset,
  resetEvents,
  roles,
  user,
  userId,
  verified,
  waiting,
} from '../support/sign-in/ada.ts'
import { id } from '../support/fixed.ts'

const gained = (held: readonly ('auditor' | 'user_admin')[], more: 'auditor' | 'user_admin'): UserEvent => ({
  type: 'user.roles_changed',
  data: { userId, roles: [...held, more], added: [more], removed: [] },
})
const stripped: UserEvent = {
  type: 'user.roles_changed',
  data: { userId, roles: [], added: [], removed: ['auditor'] },
}
const confirm = (raises: number, email = profile.email): UserCommand => ({
  type: 'verify_email',
  userId,
  email,
  raises,
})
const openByMail = (raises: number, email = profile.email): UserCommand => ({
  type: 'open_by_mail',
  userId,
  email,
  raises,
})
const asAdministrator = { by: ['global_admin'] } as const
const unmailed = (kind: 'invite' | 'reset', resent: boolean, tokenHash: string): UserEvent => {
  const event = issued(kind, resent, tokenHash) as Extract<UserEvent, { type: 'user.enrollment_link_issued' }>
  return { ...event, data: { ...event.data, mailedTokenHash: null } }
}

describe('A user who is given roles', () => {
  for (const tokenHash of ['aa', 'aa-mailed'])
    it(`SGN-03 cannot enrol with an earlier link: ${tokenHash}`, () => {
      user(...waiting, roles('auditor'))
        .when({ ...enroll, tokenHash })
        .refuses('ERR_LINK_EXPIRED')
    })

  it('SGN-03 cannot enrol with an earlier reset link', () => {
    user(...active, verified, ...resetEvents, roles('auditor'))
      .when({ ...enroll, tokenHash: 'rr', method: { ...enroll.method, methodId: id('method', 2) } })
      .refuses('ERR_LINK_EXPIRED')
  })

  it('SGN-03 cannot enrol with a link that is older than another role', () => {
    user(invited, roles('auditor'), issued(), gained(['auditor'], 'user_admin'))
      .when(enroll)
      .refuses('ERR_LINK_EXPIRED')
  })

  it('SGN-03 cannot enrol with an earlier link even after the roles were removed again', () => {
    user(...waiting, roles('auditor'), stripped)
      .when(enroll)
      .refuses('ERR_LINK_EXPIRED')
  })

  it('SGN-03 enrols with a new link', () => {
    user(...waiting, roles('auditor'))
      .when({ ...reissue, ...asAdministrator })
      .then(issued('invite', true, 'bb'))
    user(...waiting, roles('auditor'), issued('invite', true, 'bb'))
      .when({ ...enroll, tokenHash: 'bb' })
      .then(redeemed('bb'), added(), enrolled)
  })

  it('CLI-01 enrols with the link that was created together with the roles', () => {
    user(invited, roles('global_admin'), issued()).when(enroll).then(redeemed(), added(), enrolled)
  })

  it('SGN-03 keeps the link when roles are only removed', () => {
    user(invited, roles('auditor'), issued(), stripped).when(enroll).then(redeemed(), added(), enrolled)
  })

  it('SGN-03 verifies no address with an earlier email', () => {
    user(...active, roles('auditor'))
      .when(confirm(0))
      .refuses('ERR_LINK_EXPIRED')
    user(...active, roles('auditor'))
      .when(confirm(1))
      .then(verified)
    user(...active, roles('auditor'), gained(['auditor'], 'user_admin'))
      .when(confirm(1))
      .refuses('ERR_LINK_EXPIRED')
  })

  it('SGN-03 is not signed in by an earlier email, nor at an address that is not verified', () => {
    user(...active, verified)
      .when(openByMail(0))
      .changesNothing()
    user(...active, verified, roles('auditor'))
      .when(openByMail(0))
      .refuses('ERR_LINK_EXPIRED')
    user(...active)
      .when(openByMail(0))
      .refuses('ERR_LINK_EXPIRED')
    user(...active, verified, moved)
      .when(openByMail(0, 'ada@example.org'))
      .refuses('ERR_LINK_EXPIRED')
  })
})

describe('Emails that open an account', () => {
  it('SGN-03 a reset is not emailed to an address that was never verified', () => {
    const methodIds = [id('method', 1)]
    user(...active)
      .when(reset)
      .then({ type: 'user.methods_reset', data: { userId, methodIds } }, unmailed('reset', false, 'rr'))
    user(...active, verified, moved)
      .when(reset)
      .then({ type: 'user.methods_reset', data: { userId, methodIds } }, unmailed('reset', false, 'rr'))
  })

  it('API-07 an invitation is emailed to an unverified address, which verifies it', () => {
    user(...waiting)
      .when(reissue)
      .then(issued('invite', true, 'bb'))
  })
})

describe('The first administrator', () => {
  const nobody: UserEvent = {
    type: 'user.invited',
    data: { userId, profile: { email: FIRST_ADMINISTRATOR, name: 'Administrator' }, source: 'local' },
  }
  const waitingForOne = [nobody, roles('global_admin'), unmailed('invite', false, 'aa')]
  const ada = { name: 'Ada Lovelace', email: 'ada@example.com' }

  it('CLI-01 has an address that can never receive email', () => {
    expect(FIRST_ADMINISTRATOR.toUpperCase())
      .to.satisfy(isPlaceholderAddress)
      .and.match(/\.INVALID$/)
    for (const email of ['admin@localhost', 'first-administrator@setup.invalid.example.com', ''])
      expect(isPlaceholderAddress(email), email).to.equal(false)
  })

  it('CLI-01 is emailed no link, whatever requests it', () => {
    user()
      .when({
        type: 'invite',
        userId,
        profile: { email: FIRST_ADMINISTRATOR, name: 'Administrator' },
        source: 'local',
        link,
        roles: ['global_admin'],
      })
      .then(...waitingForOne)
    user(...waitingForOne)
      .when({ ...reissue, ...asAdministrator })
      .then(unmailed('invite', true, 'bb'))
  })

  it('CLI-01 records name and address together with the enrolment, without verifying the address', () => {
    user(...waitingForOne)
      .when({ ...enroll, profile: ada })
      .then(
        {
          type: 'user.updated',
          data: { userId, changes: [{ field: 'name', from: 'Administrator', to: 'Ada Lovelace' }] },
        },
        { type: 'user.email_changed', data: { userId, from: FIRST_ADMINISTRATOR, to: 'ada@example.com' } },
        redeemed(),
        added(),
        enrolled,
      )
  })

  it('CLI-01 does not enrol without name and address', () => {
    user(...waitingForOne)
      .when(enroll)
      .refuses('ERR_INVALID', /name and email address/, '/profile')
  })

  it('CLI-01 is the only user who enters a profile', () => {
    user(...waiting)
      .when({ ...enroll, profile: ada })
      .refuses('ERR_INVALID', /already/, '/profile')
  })
})
