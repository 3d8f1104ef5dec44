import type { Change } from '../changes.ts'
import type { Role } from '../roles.ts'

/** What of a service account may be changed. Nothing in it is about a person but the owner's id. */
export interface ServiceAccountFields {
  readonly name: string
  readonly description?: string
  /** Whom to ask about it. Gives that person nothing, and their suspension takes nothing from the account. */
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
  | { type: 'service_account.disabled'; data: { serviceAccountId: string } }
  | { type: 'service_account.enabled'; data: { serviceAccountId: string } }
  | { type: 'service_account.deleted'; data: { serviceAccountId: string } }
