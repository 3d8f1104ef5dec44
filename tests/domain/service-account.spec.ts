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

  it('does not exist after deletion', () => {
    account(created).when(turn('delete')).then(deleted)
    for (const past of [[], [created, deleted]])
      for (const command of [update({}), turn('disable'), turn('enable'), turn('delete'), setRoles([])])
        account(...past)
          .when(command)
          .refuses('ERR_NOT_FOUND')
  })
})
