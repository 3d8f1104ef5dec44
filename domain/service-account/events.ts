import type { Change } from '../changes.ts'
import type { Role } from '../roles.ts'

/** The fields of a service account that can change. None is personal except the owner's id. */
export interface ServiceAccountFields {
  readonly name: string
  readonly description?: string
  /**
   * The contact person. The account gives this user no rights, and suspending the user does not disable the
   * account.
   */
  readonly ownerId?: string
}

export type ServiceAccountEvent =
  | { type: 'service_account.created'; data: ServiceAccountFields & { serviceAccountId: string } }
  | { type: 'service_account.updated'; data: { serviceAccountId: string; changes: readonly Change[] } }
  | {
      type: 'service_account.roles_changed'
      data: {
        serviceAccountId: string
        roles: readonly Role[]
        added: readonly Role[]
        removed: readonly Role[]
      }
    }
  | {
      type: 'service_account.ssh_host_names_changed'
      data: {
        serviceAccountId: string
        /** Patterns of the hosts for which the account gets SSH host certificates */
        hostNames: readonly string[]
        added: readonly string[]
        removed: readonly string[]
      }
    }
  | { type: 'service_account.disabled'; data: { serviceAccountId: string } }
  | { type: 'service_account.enabled'; data: { serviceAccountId: string } }
  | { type: 'service_account.deleted'; data: { serviceAccountId: string } }
