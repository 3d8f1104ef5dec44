import type { UserEvent } from '../../domain/user/events.ts'
import {
  userId,
  passkey,
  invited,
  issued,
  redeemed,
  added,
  verified,
  enrolled,
  suspended,
  reactivated,
  deleted,
  roles,
  moved,
  resetEvents,
  waiting,
  active,
  user,
  enroll,
  reissue,
  reset,
  addMethod,
  rename,
  removeMethod,
} from '../support/sign-in/ada.ts'
import { at, id } from '../support/fixed.ts'

describe('A user: links and methods', () => {
  describe('issue_link', () => {
    it('API-07 replaces the link of a user who has not enrolled', () => {
      user(...waiting)
        .when(reissue)
        .then(issued('invite', true, 'bb'))
      user(...waiting, issued('invite', true, 'bb'))
        .when(enroll)
        .refuses('ERR_LINK_EXPIRED')
    })
    it('API-04 is rejected for enrolled and suspended users', () => {
      user(...active)
        .when(reissue)
        .refuses('ERR_CONFLICT', /has not enrolled/)
      user(...waiting, suspended)
        .when(reissue)
        .refuses('ERR_CONFLICT')
    })
  })

  describe('enroll', () => {
    it('SGN-01 SGN-03 adds the first method and activates the user', () => {
      user(...waiting)
        .when(enroll)
        .then(redeemed(), added(), enrolled)
    })
    it('OIDC-14 verifies the address when the link came by email', () => {
      user(...waiting)
        .when({ ...enroll, tokenHash: 'aa-mailed' })
        .then(redeemed('aa-mailed'), added(), verified, enrolled)
      user(...waiting, verified)
        .when({ ...enroll, tokenHash: 'aa-mailed' })
        .then(redeemed('aa-mailed'), added(), enrolled)
    })
    it('SGN-03 OIDC-14 is invalid once the address of the link has changed', () => {
      user(...waiting, moved)
        .when({ ...enroll, tokenHash: 'aa-mailed' })
        .refuses('ERR_LINK_EXPIRED')
      user(...waiting, moved, issued('invite', true, 'bb'))
        .when({ ...enroll, tokenHash: 'bb-mailed' })
        .then(redeemed('bb-mailed'), added(), verified, enrolled)
    })
    it('API-07 SGN-03 works once', () => {
      user(...active)
        .when(enroll)
        .refuses('ERR_LINK_EXPIRED')
    })
    it('SGN-03 is rejected with another link, none, or an expired one', () => {
      user(...waiting)
        .when({ ...enroll, tokenHash: 'ab' })
        .refuses('ERR_LINK_EXPIRED')
      user(invited).when(enroll).refuses('ERR_LINK_EXPIRED')
      user(...waiting)
        .when({ ...enroll, now: at(100) })
        .refuses('ERR_LINK_EXPIRED')
      user(...waiting)
        .when({ ...enroll, now: at(99) })
        .then(redeemed(), added(), enrolled)
    })
    it('SGN-01 rejects a method that the user already has', () => {
      user(...active, ...resetEvents, added())
        .when({ ...enroll, tokenHash: 'rr' })
        .refuses('ERR_CEREMONY_EXPIRED')
    })
    it('SGN-03 is refused as an expired link if the user is deleted', () => {
      user().when(enroll).refuses('ERR_LINK_EXPIRED')
      user(...waiting, deleted)
        .when(enroll)
        .refuses('ERR_LINK_EXPIRED')
    })
    it('SGN-05 is refused while suspended', () => {
      user(...waiting, suspended)
        .when(enroll)
        .refuses('ERR_ACCOUNT_SUSPENDED')
      user(...waiting, suspended, reactivated)
        .when(enroll)
        .then(redeemed(), added(), enrolled)
    })
    it('SGN-03 after a reset adds the method and enrols no user twice', () => {
      user(...active, ...resetEvents)
        .when({ ...enroll, tokenHash: 'rr', method: passkey(2) })
        .then(redeemed('rr'), added(2))
    })
  })

  describe('methods', () => {
    it('SGN-01 adds one to an active user', () => {
      user(...active)
        .when(addMethod)
        .then(added(2))
    })
    it('SGN-05 adds none to suspended users or users who have not enrolled', () => {
      user(...active, suspended)
        .when(addMethod)
        .refuses('ERR_ACCOUNT_SUSPENDED')
      user(...waiting)
        .when(addMethod)
        .refuses('ERR_CONFLICT', /not enrolled/)
    })
    it('SGN-01 a ceremony is valid once, a passkey registered once', () => {
      user(...active)
        .when({ ...addMethod, method: passkey(1) })
        .refuses('ERR_CEREMONY_EXPIRED')
      user(...active)
        .when({ ...addMethod, method: { ...passkey(2), credentialId: 'cred-1' } })
        .refuses('ERR_REGISTRATION_FAILED', /already registered/)
    })
    it('SGN-01 renames', () => {
      const renamed: UserEvent = {
        type: 'user.method_renamed',
        data: { userId, methodId: id('method', 1), name: 'Laptop' },
      }
      user(...active)
        .when(rename)
        .then(renamed)
      user(...active, renamed)
        .when(rename)
        .changesNothing()
      user(...active)
        .when({ ...rename, methodId: id('method', 9) })
        .refuses('ERR_NOT_FOUND')
    })
    it('SGN-05 removes any except the last one', () => {
      user(...active, added(2))
        .when(removeMethod)
        .then({
          type: 'user.method_removed',
          data: { userId, methodId: id('method', 1), methodType: 'passkey' },
        })
      user(...active)
        .when(removeMethod)
        .refuses('ERR_LAST_METHOD')
      user(...active, added(2))
        .when({ ...removeMethod, methodId: id('method', 9) })
        .refuses('ERR_NOT_FOUND')
    })
    it('SGN-05 a user with roles can remove their own method', () => {
      user(...active, added(2), roles('auditor'))
        .when(removeMethod)
        .then({
          type: 'user.method_removed',
          data: { userId, methodId: id('method', 1), methodType: 'passkey' },
        })
    })
    it('SGN-03 a reset removes all methods and creates a link', () => {
      user(...active, verified)
        .when(reset)
        .then(...resetEvents)
      user(...active, verified, ...resetEvents)
        .when({ ...reset, link: { tokenHash: 'ss', mailedTokenHash: 'ss-mailed', expiresAt: at(100) } })
        .then({ type: 'user.methods_reset', data: { userId, methodIds: [] } }, issued('reset', false, 'ss'))
    })
    it('SGN-03 a user who has not enrolled is invited again instead', () => {
      user(...waiting)
        .when(reset)
        .refuses('ERR_CONFLICT', /Resend the invitation/)
    })
  })
})
