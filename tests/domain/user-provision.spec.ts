import { expect } from 'chai'
import { userDecider, type UserCommand } from '../../domain/user/decider.ts'
import type { UserEvent } from '../../domain/user/events.ts'
import type { Role } from '../../domain/roles.ts'
import { link, profile, userId } from '../support/sign-in/ada.ts'
import { given } from '../support/domain/given.ts'

type Provision = Extract<UserCommand, { type: 'provision' }>

const provision = (fields: object, besides: Partial<Provision> = {}): Provision => ({
  type: 'provision',
  userId,
  by: ['user_admin'],
  fields: { ...fields },
  otherActiveGlobalAdmins: 0,
  ...besides,
})

const invited: UserEvent = { type: 'user.invited', data: { userId, profile, source: 'scim' } }
const linked: UserEvent = {
  type: 'user.enrollment_link_issued',
  data: { userId, kind: 'invite', ...link, resent: false },
}
const enrolled: UserEvent = { type: 'user.enrolled', data: { userId } }
const suspended: UserEvent = { type: 'user.suspended', data: { userId } }
const reactivated: UserEvent = { type: 'user.reactivated', data: { userId } }
const titled: UserEvent = {
  type: 'user.updated',
  data: { userId, changes: [{ field: 'title', from: null, to: 'T' }] },
}
const moved: UserEvent = {
  type: 'user.email_changed',
  data: { userId, from: profile.email, to: 'new@example.com' },
}
const holding = (...roles: Role[]): UserEvent => ({
  type: 'user.roles_changed',
  data: { userId, roles, added: roles, removed: [] },
})

describe('Provisioning a user', () => {
  it('SCIM-01 changes fields, address and active state in one command', () => {
    given(userDecider, invited, linked, enrolled)
      .when(provision({ title: 'T', email: 'new@example.com' }, { active: false }))
      .then(titled, moved, suspended)
    given(userDecider, invited, linked, enrolled, suspended)
      .when(provision({ title: 'T' }, { active: true, link }))
      .then(titled, reactivated)
  })

  it('SCIM-01 records no event if all values are unchanged', () => {
    given(userDecider, invited, linked)
      .when(provision({ name: profile.name }, { active: true }))
      .changesNothing()
    given(userDecider, invited, suspended)
      .when(provision({}, { active: false }))
      .changesNothing()
  })

  it('SCIM-01 gives a link to a user who has to enrol and has no valid one', () => {
    given(userDecider, invited, suspended)
      .when(provision({}, { active: true, link }))
      .then(reactivated, linked)
    given(userDecider, invited, linked)
      .when(provision({ email: 'new@example.com' }, { link }))
      .then(moved, linked)
    given(userDecider, invited, suspended)
      .when(provision({ email: 'new@example.com' }, { link }))
      .then(moved)
    given(userDecider, invited, linked)
      .when(provision({ title: 'T' }, { link }))
      .then(titled)
  })

  it('SCIM-01 creates an inactive user suspended, without a link', () => {
    given(userDecider)
      .when({ type: 'invite', userId, profile, source: 'scim', suspended: true })
      .then(invited, suspended)
  })

  it('lets only global administrators change the identity and active state of accounts with a role', () => {
    const admin = [invited, linked, enrolled, holding('helpdesk_admin')] as const
    for (const command of [
      provision({ email: 'new@example.com' }),
      provision({ userName: 'new' }),
      provision({}, { active: false }),
    ]) {
      given(userDecider, ...admin)
        .when(command)
        .refuses('ERR_FORBIDDEN')
      const decision = userDecider.decide(
        { ...command, by: ['global_admin'] },
        [...admin].reduce(userDecider.evolve, userDecider.initial),
      )
      expect(decision).to.have.property('events')
    }
    given(userDecider, ...admin, suspended)
      .when(provision({}, { active: true }))
      .refuses('ERR_FORBIDDEN')
    given(userDecider, ...admin)
      .when(provision({ title: 'T' }))
      .then(titled)
  })

  it('keeps the last active global administrator', () => {
    const last = [invited, linked, enrolled, holding('global_admin')] as const
    const off = provision({}, { active: false, by: ['global_admin'] })
    given(userDecider, ...last)
      .when(off)
      .refuses('ERR_LAST_ADMIN')
    given(userDecider, ...last)
      .when({ ...off, otherActiveGlobalAdmins: 1 })
      .then(suspended)
  })

  it('does not find a user who does not exist, or was deleted', () => {
    given(userDecider).when(provision({})).refuses('ERR_NOT_FOUND')
    given(userDecider, invited, { type: 'user.deleted', data: { userId } })
      .when(provision({}))
      .refuses('ERR_NOT_FOUND')
  })
})
