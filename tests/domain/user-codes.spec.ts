import * as ada from '../support/sign-in/ada.ts'
import { at, id } from '../support/fixed.ts'

const { userId, user, active, waiting, suspended } = ada
const app = ada.authenticator()
const addApp = { ...ada.addMethod, method: app }
const removeApp = { ...ada.removeMethod, methodId: app.methodId }

describe('A user: typed codes and linked accounts', () => {
  describe('authenticator apps', () => {
    it('SGN-02 are added like any method', () => {
      user(...active)
        .when(addApp)
        .then(ada.appAdded())
      user(...active, suspended)
        .when(addApp)
        .refuses('ERR_ACCOUNT_SUSPENDED')
      user(...waiting)
        .when(addApp)
        .refuses('ERR_CONFLICT', /not enrolled/)
    })
    it('SGN-02 a set-up is valid once', () => {
      user(...active, ada.appAdded())
        .when(addApp)
        .refuses('ERR_CEREMONY_EXPIRED')
    })
    it('SGN-02 are at most five; removing one allows another', () => {
      const five = [1, 2, 3, 4, 5].map(ada.appAdded)
      const sixth = { ...addApp, method: ada.authenticator(6) }
      user(...active, ...five.slice(1))
        .when(addApp)
        .then(ada.appAdded())
      user(...active, ...five)
        .when(sixth)
        .refuses('ERR_CONFLICT', /at most 5/)
      user(...active, ...five, {
        type: 'user.method_removed',
        data: { userId, methodId: app.methodId, methodType: 'authenticator_code' },
      })
        .when(sixth)
        .then(ada.appAdded(6))
      user(...active, ...five)
        .when({ ...ada.addMethod, method: ada.passkey(2) })
        .then(ada.added(2))
    })
    it('SGN-02 add recovery codes for a user who has none left', () => {
      const withCodes = { ...addApp, recoveryCodes: ['n1', 'n2'] }
      user(...active)
        .when(withCodes)
        .then(ada.appAdded(), ada.codesMade('n1', 'n2'))
      user(...active, ada.codesMade('r1'))
        .when(withCodes)
        .then(ada.appAdded())
      user(...active, ada.codesMade('r1'), ada.codeUsed('r1'))
        .when(withCodes)
        .then(ada.appAdded(), ada.codesMade('n1', 'n2'))
    })
    it('SGN-02 enrol a user, with recovery codes', () => {
      user(...waiting)
        .when({ ...ada.enroll, method: app, recoveryCodes: ['r1', 'r2'] })
        .then(ada.redeemed(), ada.appAdded(), ada.codesMade('r1', 'r2'), ada.enrolled)
    })
    it('SGN-05 are removed unless they are the last sign-in method', () => {
      user(...active, ada.appAdded())
        .when(removeApp)
        .then({
          type: 'user.method_removed',
          data: { userId, methodId: app.methodId, methodType: 'authenticator_code' },
        })
      const onlyApp = [...waiting, ada.redeemed(), ada.appAdded(), ada.codesMade('r1'), ada.enrolled]
      user(...onlyApp)
        .when(removeApp)
        .refuses('ERR_LAST_METHOD')
      user(...onlyApp, ada.linked())
        .when(removeApp)
        .then({
          type: 'user.method_removed',
          data: { userId, methodId: app.methodId, methodType: 'authenticator_code' },
        })
    })
  })

  describe('recovery codes', () => {
    it('SGN-02 are created again, which invalidates earlier ones', () => {
      user(...active)
        .when(ada.makeCodes)
        .then(ada.codesMade('r1', 'r2'))
      user(...active, ada.codesMade('r1'), ada.codesMade('n1'))
        .when(ada.useCode)
        .refuses('ERR_CODE_MISMATCH')
    })
    it('SGN-05 are created only by active users', () => {
      user(...active, suspended)
        .when(ada.makeCodes)
        .refuses('ERR_ACCOUNT_SUSPENDED')
      user(...waiting)
        .when(ada.makeCodes)
        .refuses('ERR_CONFLICT', /not enrolled/)
    })
    it('SGN-02 can each be used once', () => {
      user(...active, ada.codesMade('r1', 'r2'))
        .when(ada.useCode)
        .then(ada.codeUsed('r1'))
      user(...active, ada.codesMade('r1', 'r2'), ada.codeUsed('r1'))
        .when(ada.useCode)
        .refuses('ERR_CODE_MISMATCH')
      user(...active, ada.codesMade('r1', 'r2'), ada.codeUsed('r1'))
        .when({ ...ada.useCode, hash: 'r2' })
        .then(ada.codeUsed('r2'))
    })
    it('SGN-05 none works for a suspended user, whose codes are valid again afterwards', () => {
      const past = [...active, ada.codesMade('r1'), suspended]
      user(...past)
        .when(ada.useCode)
        .refuses('ERR_CODE_MISMATCH')
      user(...past, ada.reactivated)
        .when(ada.useCode)
        .then(ada.codeUsed('r1'))
    })
    it('SGN-03 are invalid after a reset', () => {
      user(...active, ada.codesMade('r1'), ...ada.resetEvents)
        .when(ada.useCode)
        .refuses('ERR_CODE_MISMATCH')
    })
  })

  describe('a lockout', () => {
    it('SGN-02 starts once, and is not extended', () => {
      user(...active)
        .when(ada.lockOut)
        .then(ada.lockedOut())
      user(...active, ada.lockedOut())
        .when({ ...ada.lockOut, now: at(3599), until: at(7199) })
        .changesNothing()
      user(...active, ada.lockedOut())
        .when({ ...ada.lockOut, now: at(3600), until: at(7200) })
        .then(ada.lockedOut(at(7200)))
    })
    it('SGN-02 can be ended by an administrator', () => {
      user(...active, ada.lockedOut())
        .when(ada.unlock)
        .then(ada.unlocked)
      user(...active)
        .when(ada.unlock)
        .changesNothing()
      user(...active, ada.lockedOut(), ada.unlocked)
        .when(ada.lockOut)
        .then(ada.lockedOut())
    })
    it('AUT-05 of an account with a role can be ended by a global administrator', () => {
      user(...active, ada.roles('auditor'), ada.lockedOut())
        .when(ada.unlock)
        .refuses('ERR_FORBIDDEN', /global administrator/)
      user(...active, ada.roles('auditor'), ada.lockedOut())
        .when({ ...ada.unlock, by: ['global_admin'] })
        .then(ada.unlocked)
    })
    it('SGN-02 expires on time, to the second', () => {
      user(...active, ada.lockedOut())
        .when({ ...ada.expireLockout, now: at(3599) })
        .changesNothing()
      user(...active, ada.lockedOut())
        .when(ada.expireLockout)
        .then(ada.lockoutExpired)
      user(...active, ada.lockedOut(), ada.lockoutExpired)
        .when(ada.expireLockout)
        .changesNothing()
      user(...active, ada.lockedOut(), ada.unlocked)
        .when(ada.expireLockout)
        .changesNothing()
    })
    it('SGN-03 ends with a reset of methods', () => {
      user(...active, ada.lockedOut(), ...ada.resetEvents)
        .when(ada.expireLockout)
        .changesNothing()
    })
  })

  describe('linked accounts', () => {
    it('SGN-04 are added once, and not for invited or suspended users', () => {
      user(...active)
        .when(ada.linkAccount)
        .then(ada.linked())
      user(...waiting)
        .when(ada.linkAccount)
        .refuses('ERR_CONFLICT')
      user(...active, ada.linked())
        .when({ ...ada.linkAccount, account: { ...ada.account(), linkId: id('linkedAccount', 9) } })
        .changesNothing()
      user(...active, suspended)
        .when(ada.linkAccount)
        .refuses('ERR_ACCOUNT_SUSPENDED')
    })
    it('SGN-04 SGN-05 are removed unless one is the last sign-in method', () => {
      user(...active, ada.linked())
        .when(ada.unlinkAccount)
        .then(ada.unlinked())
      user(...active)
        .when(ada.unlinkAccount)
        .refuses('ERR_NOT_FOUND')
      user(ada.invited, ada.linked(), ada.enrolled).when(ada.unlinkAccount).refuses('ERR_LAST_METHOD')
      user(ada.invited, ada.linked(), ada.linked(2), ada.enrolled)
        .when(ada.unlinkAccount)
        .then(ada.unlinked())
    })
    it('AUT-05 of an account with a role can be removed by a global administrator or the user', () => {
      const past = [...active, ada.linked(), ada.roles('auditor')]
      user(...past)
        .when({ ...ada.unlinkAccount, by: ['user_admin'] })
        .refuses('ERR_FORBIDDEN')
      user(...past)
        .when(ada.unlinkAccount)
        .then(ada.unlinked())
    })
    it('SGN-03 are removed by a reset', () => {
      user(...active, ada.linked(), ...ada.resetEvents)
        .when(ada.unlinkAccount)
        .refuses('ERR_NOT_FOUND')
    })
  })
})
