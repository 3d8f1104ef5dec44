import type { Role } from '../../domain/roles.ts'
import { serviceAccountDecider, type ServiceAccountCommand } from '../../domain/service-account/decider.ts'
import type { ServiceAccountEvent } from '../../domain/service-account/events.ts'
import { id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const serviceAccountId = id('user', 7)
const fields = { name: 'Directory sync', ownerId: id('user', 1) }
const created: ServiceAccountEvent = {
  type: 'service_account.created',
  data: { serviceAccountId, ...fields },
}
const disabled: ServiceAccountEvent = { type: 'service_account.disabled', data: { serviceAccountId } }
const enabled: ServiceAccountEvent = { type: 'service_account.enabled', data: { serviceAccountId } }
const deleted: ServiceAccountEvent = { type: 'service_account.deleted', data: { serviceAccountId } }
const roles = (
  now: readonly Role[],
  added: readonly Role[],
  removed: readonly Role[] = [],
): ServiceAccountEvent => ({
  type: 'service_account.roles_changed',
  data: { serviceAccountId, roles: now, added, removed },
})
const account = (...past: readonly ServiceAccountEvent[]) => given(serviceAccountDecider, ...past)
const by: readonly Role[] = ['user_admin']
const turn = (type: 'disable' | 'enable' | 'delete', who = by): ServiceAccountCommand => ({
  type,
  serviceAccountId,
  by: who,
})
const update = (changed: Readonly<Record<string, unknown>>, who = by): ServiceAccountCommand => ({
  type: 'update',
  serviceAccountId,
  fields: changed,
  by: who,
})
const setRoles = (wanted: readonly Role[]): ServiceAccountCommand => ({
  type: 'set_roles',
  serviceAccountId,
  roles: wanted,
})
const setHostNames = (wanted: readonly string[]): ServiceAccountCommand => ({
  type: 'set_ssh_host_names',
  serviceAccountId,
  hostNames: wanted,
})
const hostNames = (
  now: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): ServiceAccountEvent => ({
  type: 'service_account.ssh_host_names_changed',
  data: { serviceAccountId, hostNames: now, added, removed },
})

describe('Service account', () => {
  it('is created once', () => {
    const create: ServiceAccountCommand = { type: 'create', serviceAccountId, fields }
    account().when(create).then(created)
    account(created).when(create).refuses('ERR_CONFLICT')
    account(created, deleted).when(create).refuses('ERR_CONFLICT')
  })

  it('records only fields that differ', () => {
    account(created)
      .when(update({ name: 'Directory sync' }))
      .changesNothing()
    account(created)
      .when(update({ name: 'Sync', ownerId: null }))
      .then({
        type: 'service_account.updated',
        data: {
          serviceAccountId,
          changes: [
            { field: 'name', from: 'Directory sync', to: 'Sync' },
            { field: 'ownerId', from: fields.ownerId, to: null },
          ],
        },
      })
  })

  it('AUT-02 is disabled and enabled again', () => {
    account(created).when(turn('disable')).then(disabled)
    account(created).when(turn('enable')).refuses('ERR_CONFLICT')
    account(created, disabled).when(turn('disable')).refuses('ERR_CONFLICT')
    account(created, disabled).when(turn('enable')).then(enabled)
  })

  it('AUT-05 gets a complete list of roles', () => {
    account(created)
      .when(setRoles(['auditor', 'user_admin', 'auditor']))
      .then(roles(['auditor', 'user_admin'], ['auditor', 'user_admin']))
    const held = [created, roles(['auditor', 'user_admin'], ['auditor', 'user_admin'])]
    account(...held)
      .when(setRoles(['user_admin', 'auditor']))
      .changesNothing()
    account(...held)
      .when(setRoles(['app_admin', 'auditor']))
      .then(roles(['app_admin', 'auditor'], ['app_admin'], ['user_admin']))
  })

  it('AUT-05 can be changed only by users who have all of its roles', () => {
    const held = [created, roles(['auditor', 'user_admin'], ['auditor', 'user_admin'])]
    for (const who of [[], ['user_admin'], ['security_admin', 'auditor']] as const)
      for (const command of [update({ name: 'x' }, who), turn('disable', who), turn('delete', who)])
        account(...held)
          .when(command)
          .refuses('ERR_FORBIDDEN', /roles/)
    for (const who of [['global_admin'], ['user_admin', 'auditor', 'app_admin']] as const)
      account(...held)
        .when(turn('disable', who))
        .then(disabled)
  })

  it('SSH-01 gets a complete list of SSH host names, in one form each', () => {
    account(created)
      .when(setHostNames(['web01.example.com', '*.db.example.com', 'web01.example.com']))
      .then(
        hostNames(['web01.example.com', '*.db.example.com'], ['web01.example.com', '*.db.example.com'], []),
      )
    const held = [
      created,
      hostNames(['a.example.com', 'b.example.com'], ['a.example.com', 'b.example.com'], []),
    ]
    account(...held)
      .when(setHostNames(['b.example.com', 'a.example.com']))
      .changesNothing()
    account(...held)
      .when(setHostNames(['b.example.com', '192.0.2.7']))
      .then(hostNames(['b.example.com', '192.0.2.7'], ['192.0.2.7'], ['a.example.com']))
    account(...held)
      .when(setHostNames([]))
      .then(hostNames([], [], ['a.example.com', 'b.example.com']))
    account(created)
      .when(setHostNames(['a.example.com', '*']))
      .refuses('ERR_INVALID', /^hostNames\/1: /, '/hostNames/1')
    account(created)
      .when(setHostNames(Array.from({ length: 101 }, (_, n) => `h${String(n)}.example.com`)))
      .refuses('ERR_INVALID', /at most 100/, '/hostNames')
  })

  it('SSH-01 with SSH host names is managed only by users who could give it these', () => {
    const held = [created, hostNames(['a.example.com'], ['a.example.com'], [])]
    const key = (who: readonly Role[]): ServiceAccountCommand => ({
      type: 'give_key',
      serviceAccountId,
      by: who,
    })
    for (const command of [key(by), update({ name: 'x' }), turn('disable'), turn('delete')])
      account(...held)
        .when(command)
        .refuses('ERR_FORBIDDEN', /security_admin/)
    for (const who of [['user_admin', 'security_admin'], ['global_admin']] as const)
      account(...held)
        .when(key(who))
        .changesNothing()
    account(...held, hostNames([], [], ['a.example.com']))
      .when(key(by))
      .changesNothing()
  })

  it('SSH-01 SSH-02 certifies hosts that its names allow, while it is active', () => {
    const held = [created, hostNames(['a.example.com'], ['a.example.com'], [])]
    const certify = (names: readonly string[] | null): ServiceAccountCommand => ({
      type: 'certify_host',
      serviceAccountId,
      hostNames: names,
    })
    account(...held)
      .when(certify(null))
      .changesNothing()
    account(...held)
      .when(certify(['b.example.com']))
      .refuses('ERR_NO_PRINCIPALS', /^b\.example\.com /, '/hostNames/0')
    account(created).when(certify(null)).refuses('ERR_NO_PRINCIPALS')
    account(...held, disabled)
      .when(certify(null))
      .refuses('ERR_CONFLICT', /disabled/)
    account(...held, deleted)
      .when(certify(null))
      .refuses('ERR_NOT_FOUND')
  })

  it('does not exist after deletion', () => {
    account(created).when(turn('delete')).then(deleted)
    for (const past of [[], [created, deleted]])
      for (const command of [update({}), turn('disable'), turn('enable'), turn('delete'), setRoles([])])
        account(...past)
          .when(command)
          .refuses('ERR_NOT_FOUND')
  })
})
