/** The organization of the privilege property: its people, and what others keep copies of. */
import type { TestPerson } from '../service/service.ts'
import type { Copy, Subject } from './privilege-copies.ts'

export interface Step {
  readonly kind: string
  /** Index of the user or account. */
  readonly of: number
  readonly choice: number
}

export interface ModelPerson extends Subject {
  email: string
  /** Requested links to sign in; the service limits how many it sends. */
  requestedLinks: number
  /** The account at the identity provider that is linked */
  account?: string
}

export interface Model {
  readonly people: readonly ModelPerson[]
  readonly accounts: readonly Subject[]
  readonly groupId: string
  readonly copies: Copy[]
  /** The observers: they see what user and helpdesk administrators can see. */
  readonly lesser: TestPerson
  readonly helper: TestPerson
}
