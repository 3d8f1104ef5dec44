import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { holdsAll, type Role } from '../roles.ts'
import { hostNamesOf, isHostPattern, MAX_HOST_NAMES } from '../ssh-host-certificate/host-names.ts'
import type { ServiceAccountEvent, ServiceAccountFields } from './events.ts'
import { rolesToManage } from './rights.ts'

export type ServiceAccountStatus = 'active' | 'disabled'

export interface ServiceAccountState {
  readonly status: 'none' | ServiceAccountStatus | 'deleted'
  readonly fields: ServiceAccountFields
  readonly roles: readonly Role[]
  /** Patterns of the hosts for which it gets SSH host certificates */
  readonly sshHostNames: readonly string[]
}

export type ServiceAccountCommand =
  | { type: 'create'; serviceAccountId: string; fields: ServiceAccountFields }
  /** `by`: the roles of the actor. */
  | {
      type: 'update'
      serviceAccountId: string
      fields: Readonly<Record<string, unknown>>
      by: readonly Role[]
    }
  | { type: 'set_roles'; serviceAccountId: string; roles: readonly Role[] }
  | { type: 'set_ssh_host_names'; serviceAccountId: string; hostNames: readonly string[] }
  /** Checks that the account may certify a host with these names, or with all of its own; records nothing. */
  | { type: 'certify_host'; serviceAccountId: string; hostNames: readonly string[] | null }
  | { type: 'disable' | 'enable' | 'delete'; serviceAccountId: string; by: readonly Role[] }
  /** Checks that the account may be given a key; records nothing. */
  | { type: 'give_key'; serviceAccountId: string; by: readonly Role[] }

const initial: ServiceAccountState = { status: 'none', fields: { name: '' }, roles: [], sshHostNames: [] }

const evolve = (state: ServiceAccountState, { type, data }: ServiceAccountEvent): ServiceAccountState => {
  switch (type) {
    case 'service_account.created': {
      const { serviceAccountId: _, ...fields } = data
      return { ...initial, status: 'active', fields }
    }
    case 'service_account.updated':
      return { ...state, fields: applyChanges(state.fields, data.changes) }
    case 'service_account.roles_changed':
      return { ...state, roles: data.roles }
    case 'service_account.ssh_host_names_changed':
      return { ...state, sshHostNames: data.hostNames }
    case 'service_account.disabled':
      return { ...state, status: 'disabled' }
    case 'service_account.enabled':
      return { ...state, status: 'active' }
    case 'service_account.deleted':
      return { ...state, status: 'deleted' }
  }
}

/** The refusal if the account has more rights than the actor. */
export const OUTRANKED =
  'This requires all roles of the service account, and security_admin if it has SSH host names, or the global_admin role.'

const setRoles = (
  serviceAccountId: string,
  requested: readonly Role[],
  { roles: from }: ServiceAccountState,
): Decision<ServiceAccountEvent> => {
  const roles = [...new Set(requested)]
  const added = roles.filter((role) => !from.includes(role))
  const removed = from.filter((role) => !roles.includes(role))
  return added.length === 0 && removed.length === 0
    ? accept()
    : accept({
        type: 'service_account.roles_changed',
        data: { serviceAccountId, roles, added, removed },
      })
}

const setHostNames = (
  serviceAccountId: string,
  requested: readonly string[],
  { sshHostNames: from }: ServiceAccountState,
): Decision<ServiceAccountEvent> => {
  const hostNames = [...new Set(requested)]
  if (hostNames.length > MAX_HOST_NAMES)
    return refuse('ERR_INVALID', `hostNames: expected at most ${String(MAX_HOST_NAMES)} names`, '/hostNames')
  const wrong = hostNames.findIndex((name) => !isHostPattern(name))
  if (wrong !== -1)
    return refuse(
      'ERR_INVALID',
      `hostNames/${String(wrong)}: expected a DNS name in lower case, *. and a domain such as *.example.com, or an address in its usual form`,
      `/hostNames/${String(wrong)}`,
    )
  const added = hostNames.filter((name) => !from.includes(name))
  const removed = from.filter((name) => !hostNames.includes(name))
  return added.length === 0 && removed.length === 0
    ? accept()
    : accept({
        type: 'service_account.ssh_host_names_changed',
        data: { serviceAccountId, hostNames, added, removed },
      })
}

const certifyHost = (
  hostNames: readonly string[] | null,
  { status, sshHostNames }: ServiceAccountState,
): Decision<ServiceAccountEvent> => {
  if (status === 'disabled') return refuse('ERR_CONFLICT', 'This service account is disabled.')
  const named = hostNamesOf(sshHostNames, hostNames)
  return 'refusal' in named ? named : accept()
}

const decide = (
  command: ServiceAccountCommand,
  state: ServiceAccountState,
): Decision<ServiceAccountEvent> => {
  const { serviceAccountId } = command
  if (command.type === 'create')
    return state.status === 'none'
      ? accept({ type: 'service_account.created', data: { serviceAccountId, ...command.fields } })
      : refuse('ERR_CONFLICT')
  if (state.status === 'none' || state.status === 'deleted') return refuse('ERR_NOT_FOUND')
  if (command.type === 'set_roles') return setRoles(serviceAccountId, command.roles, state)
  if (command.type === 'set_ssh_host_names') return setHostNames(serviceAccountId, command.hostNames, state)
  if (command.type === 'certify_host') return certifyHost(command.hostNames, state)
  if (!holdsAll(command.by, rolesToManage(state))) return refuse('ERR_FORBIDDEN', OUTRANKED)
  switch (command.type) {
    case 'update': {
      const changes = changesOf(state.fields, command.fields)
      return changes.length === 0
        ? accept()
        : accept({ type: 'service_account.updated', data: { serviceAccountId, changes } })
    }
    case 'disable':
      return state.status === 'disabled'
        ? refuse('ERR_CONFLICT', 'This service account is already disabled.')
        : accept({ type: 'service_account.disabled', data: { serviceAccountId } })
    case 'enable':
      return state.status === 'active'
        ? refuse('ERR_CONFLICT', 'This service account is not disabled.')
        : accept({ type: 'service_account.enabled', data: { serviceAccountId } })
    case 'give_key':
      return state.status === 'disabled'
        ? refuse('ERR_CONFLICT', 'This service account is disabled. Enable it first.')
        : accept()
    case 'delete':
      return accept({ type: 'service_account.deleted', data: { serviceAccountId } })
  }
}

export const serviceAccountDecider: Decider<ServiceAccountState, ServiceAccountCommand, ServiceAccountEvent> =
  { initial, evolve, decide }

export const serviceAccountStream = (serviceAccountId: string): string =>
  `service-account-${serviceAccountId}`
