import { expect } from 'chai'
import { userDecider, userStream, type UserCommand } from '../../domain/user/decider.ts'
import type { UserEvent } from '../../domain/user/events.ts'
import {
  userId,
  profile,
  link,
  invited,
  issued,
  added,
  verified,
  suspended,
  reactivated,
  deleted,
  erased,
  linked,
  lockedOut,
  roles,
  moved,
  waiting,
  active,
  tombstone,
  user,
  suspend,
  reactivate,
  remove,
  update,
  revoke,
  setRoles,
  erase,
  onExisting,
} from '../support/sign-in/ada.ts'

describe('A user', () => {
  it('ID-01 has their own stream', () => {
    expect(userStream(userId)).to.equal(`user-${userId}`)
  })

  describe('invite', () => {
    const invite: UserCommand = { type: 'invite', userId, profile, source: 'local', link }
    it('API-07 records the user and the link', () => {
      user().when(invite).then(invited, issued())
    })
    it('SCIM-01 needs no link', () => {
      user()
        .when({ type: 'invite', userId, profile, source: 'scim' })
        .then({ type: 'user.invited', data: { userId, profile, source: 'scim' } })
    })
    it('CLI-01 may include roles, without duplicates', () => {
      user()
        .when({ ...invite, roles: ['auditor', 'auditor'] })
        .then(invited, roles('auditor'), issued())
      user()
        .when({ ...invite, roles: [] })
        .then(invited, issued())
    })
    for (const past of [waiting, active, tombstone])
      it(`API-07 is rejected for an existing id (${String(past.length)} events)`, () => {
        user(...past)
          .when(invite)
          .refuses('ERR_CONFLICT', /already exists/)
      })
  })

  for (const command of [...onExisting, erase]) {
    it(`API-04 ${command.type} is rejected if there is no such user`, () => {
      user().when(command).refuses('ERR_NOT_FOUND')
    })
    if (command.type !== 'erase')
      it(`API-04 ${command.type} is refused after deletion, which is final`, () => {
        user(...tombstone)
          .when(command)
          .refuses('ERR_NOT_FOUND')
        user(...tombstone, erased)
          .when(command)
          .refuses('ERR_NOT_FOUND')
      })
  }

  describe('acting on an account with a role', () => {
    for (const command of onExisting)
      if ('by' in command)
        it(`AUT-05 ${command.type} needs a global administrator, the service or an account without roles`, () => {
          const past =
            command.type === 'issue_link'
              ? waiting
              : command.type === 'reactivate'
                ? [...active, suspended]
                : [...active, added(2), linked(), lockedOut()]
          for (const by of [['user_admin'], ['helpdesk_admin', 'security_admin'], []] as const)
            user(...past, roles('auditor'))
              .when({ ...command, by })
              .refuses('ERR_FORBIDDEN', /global administrator/)
          for (const by of [['global_admin'], 'system'] as const) {
            const decision = userDecider.decide(
              { ...command, by },
              past.concat(roles('auditor')).reduce(userDecider.evolve, userDecider.initial),
            )
            expect(decision).to.have.property('events').with.length.above(0)
          }
        })
  })

  describe('update', () => {
    it('API-03 records only real changes', () => {
      user(...waiting)
        .when({ ...update, fields: { department: null, title: 'Programmer', name: 'Ada' } })
        .then({
          type: 'user.updated',
          data: {
            userId,
            changes: [
              { field: 'department', from: 'Engines', to: null },
              { field: 'title', from: null, to: 'Programmer' },
            ],
          },
        })
    })
    it('API-03 changes nothing if no field differs', () => {
      user(...waiting)
        .when({ ...update, fields: {} })
        .changesNothing()
      user(...waiting)
        .when({ ...update, fields: { ...profile, title: null } })
        .changesNothing()
    })
    it('OIDC-14 a new address is a separate event and unverified', () => {
      user(...active, verified)
        .when({ ...update, fields: { email: 'ada@example.org' } })
        .then(moved)
      const state = [...active, verified, moved].reduce(userDecider.evolve, userDecider.initial)
      expect(state).to.deep.include({
        emailVerified: false,
        profile: { ...profile, email: 'ada@example.org' },
      })
    })
    it('API-03 accepts both in one command', () => {
      user(...active)
        .when({ ...update, fields: { email: 'ada@example.org', department: 'Research' } })
        .then(
          {
            type: 'user.updated',
            data: { userId, changes: [{ field: 'department', from: 'Engines', to: 'Research' }] },
          },
          moved,
        )
    })
    it('API-03 is allowed while suspended', () => {
      user(...active, suspended)
        .when({ ...update, fields: { email: 'ada@example.org' } })
        .then(moved)
    })
  })

  describe('suspend and reactivate', () => {
    it('SGN-05 suspends active and invited users, with an optional reason', () => {
      user(...active)
        .when(suspend)
        .then(suspended)
      user(...waiting)
        .when({ ...suspend, reason: 'Left' })
        .then({ type: 'user.suspended', data: { userId, reason: 'Left' } })
    })
    it('API-04 rejects suspending twice and reactivating a user who is not suspended', () => {
      user(...active, suspended)
        .when(suspend)
        .refuses('ERR_CONFLICT', /already suspended/)
      user(...active)
        .when(reactivate)
        .refuses('ERR_CONFLICT', /not suspended/)
      user(...waiting)
        .when(reactivate)
        .refuses('ERR_CONFLICT')
    })
    it('SGN-05 reactivation restores the previous status', () => {
      user(...active, suspended)
        .when(reactivate)
        .then(reactivated)
      const status = (...past: UserEvent[]) => past.reduce(userDecider.evolve, userDecider.initial).status
      expect(status(...active, suspended, reactivated)).to.equal('active')
      expect(status(...waiting, suspended, reactivated)).to.equal('invited')
    })
  })

  describe('the last active global administrator', () => {
    const last = [...active, roles('global_admin', 'auditor')]
    const alone = { otherActiveGlobalAdmins: 0 }
    const by = { by: ['global_admin'] } as const
    it('AUT-05 cannot be suspended, deleted or lose the role', () => {
      user(...last)
        .when({ ...suspend, ...alone, ...by })
        .refuses('ERR_LAST_ADMIN')
      user(...last)
        .when({ ...remove, ...alone, ...by })
        .refuses('ERR_LAST_ADMIN')
      user(...last)
        .when({ ...setRoles, ...alone })
        .refuses('ERR_LAST_ADMIN')
      user(...last)
        .when({ ...setRoles, ...alone, roles: [] })
        .refuses('ERR_LAST_ADMIN')
    })
    it('AUT-05 may lose other roles, and every role once there is another one', () => {
      user(...last)
        .when({ type: 'set_roles', userId, roles: ['global_admin'], ...alone })
        .then({
          type: 'user.roles_changed',
          data: { userId, roles: ['global_admin'], added: [], removed: ['auditor'] },
        })
      user(...last)
        .when({ ...suspend, ...by })
        .then(suspended)
      user(...last)
        .when({ ...remove, ...by })
        .then(deleted)
    })
    it('AUT-05 means an active one: invited and suspended ones do not count', () => {
      user(...waiting, roles('global_admin'))
        .when({ ...remove, ...alone, ...by })
        .then(deleted)
      user(...last, suspended)
        .when({ ...remove, ...alone, ...by })
        .then(deleted)
      user(...last, suspended)
        .when({ ...setRoles, ...alone, roles: [] })
        .then({
          type: 'user.roles_changed',
          data: { userId, roles: [], added: [], removed: ['global_admin', 'auditor'] },
        })
    })
  })

  describe('delete and erase', () => {
    it('API-01 deletes from any status', () => {
      for (const past of [waiting, active, [...active, suspended]])
        user(...past)
          .when(remove)
          .then(deleted)
    })
    it('API-01 erases only deleted users, once', () => {
      user(...active)
        .when(erase)
        .refuses('ERR_CONFLICT', /Delete the user/)
      user(...tombstone)
        .when(erase)
        .then(erased)
      user(...tombstone, erased)
        .when(erase)
        .changesNothing()
    })
    it('API-01 keeps neither roles nor methods nor link, and after erasure no profile', () => {
      const state = [...waiting, roles('auditor'), deleted, erased].reduce(
        userDecider.evolve,
        userDecider.initial,
      )
      expect(state).to.deep.include({
        status: 'deleted',
        roles: [],
        methods: [],
        link: null,
        profile: {},
        erased: true,
      })
    })
  })

  describe('set_roles', () => {
    it('API-08 is the complete list, duplicates counted once', () => {
      user(...active, roles('auditor', 'helpdesk_admin'))
        .when({ ...setRoles, roles: ['user_admin', 'auditor', 'user_admin'] })
        .then({
          type: 'user.roles_changed',
          data: {
            userId,
            roles: ['user_admin', 'auditor'],
            added: ['user_admin'],
            removed: ['helpdesk_admin'],
          },
        })
    })
    it('API-08 the same list in any order changes nothing', () => {
      user(...active, roles('auditor', 'helpdesk_admin'))
        .when({ ...setRoles, roles: ['helpdesk_admin', 'auditor'] })
        .changesNothing()
      user(...active)
        .when({ ...setRoles, roles: [] })
        .changesNothing()
    })
  })

  it('AUT-01 revoke_sessions ends every session immediately', () => {
    user(...active)
      .when(revoke)
      .then({ type: 'user.sessions_revoked', data: { userId } })
  })
})
