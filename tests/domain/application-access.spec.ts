import { at, id } from '../support/fixed.ts'
import {
  application,
  assign,
  assigned,
  builtIn,
  created,
  createSecret,
  disabled,
  groups,
  revokeSecret,
  rotate,
  secret,
  secretCreated,
  secretLimited,
  secretRevoked,
  service,
  setGroups,
  unassign,
  unassigned,
} from '../support/scim/payroll.ts'

const [one, two, three] = groups

describe('An application: groups and secrets', () => {
  describe('groups', () => {
    it('ASG-01 are assigned and unassigned one by one', () => {
      application(created()).when(assign).then(assigned(one))
      application(created(), assigned(one)).when(assign).changesNothing()
      application(created(), assigned(one), assigned(two)).when(unassign).then(unassigned(one))
      application(created(), assigned(two)).when(unassign).refuses('ERR_NOT_FOUND')
    })
    it('API-03 are replaced as a whole', () => {
      application(created(), assigned(one), assigned(two))
        .when(setGroups(two, three, three))
        .then(assigned(three), unassigned(one))
      application(created(), assigned(one)).when(setGroups()).then(unassigned(one))
      application(created(), assigned(one), assigned(two))
        .when(setGroups(two, one, two))
        .changesNothing()
      application(created()).when(setGroups()).changesNothing()
    })
    it('ASG-01 may change while the application is disabled', () => {
      application(created(), disabled).when(assign).then(assigned(one))
    })
  })

  for (const command of [createSecret, rotate]) {
    it(`OIDC-05 ${command.type} is rejected for public clients`, () => {
      for (const past of [created('spa'), created('native'), builtIn])
        application(past)
          .when(command)
          .refuses('ERR_CONFLICT', /no secret/)
    })
    it(`API-05 ${command.type} is rejected for a secret that would already be expired`, () => {
      for (const expiresAt of [at(0), at(-1)])
        application(created())
          .when({ ...command, secret: secret(9, expiresAt) })
          .refuses('ERR_INVALID', /in the future/, '/expiresAt')
    })
  }

  describe('create_secret', () => {
    it('ID-02 adds one, permanent or temporary', () => {
      application(created()).when(createSecret).then(secretCreated(9))
      application(service, secretCreated(1))
        .when({ ...createSecret, secret: secret(9, at(60)) })
        .then(secretCreated(9, false, at(60)))
    })
    it('OIDC-05 allows at most two active secrets', () => {
      const two = [created(), secretCreated(1), secretCreated(2, false, at(60))]
      application(...two)
        .when(createSecret)
        .refuses('ERR_CONFLICT', /at most 2/)
      application(...two)
        .when({ ...createSecret, now: at(59) })
        .refuses('ERR_CONFLICT')
      application(...two)
        .when({ ...createSecret, now: at(60) })
        .then(secretCreated(9))
      application(...two, secretRevoked(1))
        .when(createSecret)
        .then(secretCreated(9))
      application(...two, secretLimited(1, at(0)))
        .when(createSecret)
        .then(secretCreated(9))
    })
  })

  describe('rotate_secret', () => {
    it('OIDC-05 replaces immediately without a grace period', () => {
      application(created(), secretCreated(1)).when(rotate).then(secretRevoked(1), secretCreated(9, true))
      application(created(), secretCreated(1), secretCreated(2))
        .when(rotate)
        .then(secretRevoked(1), secretRevoked(2), secretCreated(9, true))
    })
    it('OIDC-05 with a grace period keeps the newest valid for that period', () => {
      const graceful = { ...rotate, oldExpiresAt: at(60) }
      application(created(), secretCreated(1))
        .when(graceful)
        .then(secretLimited(1, at(60)), secretCreated(9, true))
      application(created(), secretCreated(1), secretCreated(2))
        .when(graceful)
        .then(secretRevoked(1), secretLimited(2, at(60)), secretCreated(9, true))
    })
    it('OIDC-05 never extends the lifetime of a secret', () => {
      const graceful = { ...rotate, oldExpiresAt: at(60) }
      for (const expiresAt of [at(30), at(60)])
        application(created(), secretCreated(1, false, expiresAt))
          .when(graceful)
          .then(secretCreated(9, true))
      application(created(), secretCreated(1, false, at(90)))
        .when(graceful)
        .then(secretLimited(1, at(60)), secretCreated(9, true))
    })
    it('OIDC-05 skips what has expired, and creates the first if there is no other', () => {
      application(created(), secretCreated(1, false, at(-1)))
        .when(rotate)
        .then(secretCreated(9, true))
      application(created()).when(rotate).then(secretCreated(9, true))
    })
  })

  describe('revoke_secret', () => {
    it('OIDC-05 revokes one, even the last', () => {
      application(created(), secretCreated(1)).when(revokeSecret).then(secretRevoked(1))
    })
    it('API-04 is rejected for a secret that is unknown or revoked', () => {
      application(created(), secretCreated(1))
        .when({ ...revokeSecret, secretId: id('clientSecret', 7) })
        .refuses('ERR_NOT_FOUND')
      application(created(), secretCreated(1), secretRevoked(1)).when(revokeSecret).refuses('ERR_NOT_FOUND')
    })
  })
})
