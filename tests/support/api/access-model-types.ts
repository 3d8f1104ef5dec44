/** What the model of access knows. */
import type { TestApplication } from '../oidc/oidc.ts'
import type { TestPerson } from '../service/service.ts'

interface ModelSession {
  readonly as: TestPerson
  ended: boolean
}

export interface ModelPerson {
  readonly userId: string
  status: 'active' | 'suspended' | 'deleted'
  department: string | null
  /** The session in the user's browser; a later sign-in does not change earlier sessions */
  session: ModelSession
  readonly sessions: ModelSession[]
}

export interface ModelPackage {
  readonly id: string
  readonly groups: Set<ModelGroup>
  /** Who has it, each with their assignment */
  readonly holders: Map<ModelPerson, string>
  /** Users whose assignment has expired, which may not be recorded yet */
  readonly lapsed: Set<ModelPerson>
}

export interface ModelGroup {
  readonly id: string
  name: string
  /** The department whose users the group contains by rule */
  rule: string | null
  readonly byHand: Set<ModelPerson>
  /** Users whose manual membership has expired, and may have been removed since */
  readonly lapsed: Set<ModelPerson>
  /** All packages of the model */
  readonly packages: readonly ModelPackage[]
}

export interface ModelApplication {
  readonly app: TestApplication
  active: boolean
  readonly groups: Set<ModelGroup>
}

/** A code or an access token. */
export interface ModelGrant {
  readonly person: ModelPerson
  readonly application: ModelApplication
  readonly session: ModelSession
  isVoid: boolean
}

export interface Model {
  /** Prefix of departments and names in this world, so that worlds on one service do not overlap */
  readonly prefix: string
  readonly people: ModelPerson[]
  readonly groups: readonly ModelGroup[]
  readonly applications: readonly ModelApplication[]
  readonly packages: readonly ModelPackage[]
  readonly grants: ModelGrant[]
}

/** The API request of a step, and its outcome. */
export interface Act {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The statuses that the rules allow; those from 400 on mean no change */
  readonly statuses: readonly number[]
  /** Applies the change to the model once it is acknowledged with a record, or without one */
  readonly apply: (record: { readonly id: string } | null) => void
  /** When the change expires; the step ends only then */
  readonly until?: string
}
