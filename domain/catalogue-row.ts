import type { OcsfKind } from './audit/ocsf-classes.ts'

/** Names at the time of the event, for the audit sentence. */
export interface Names {
  readonly target: string
  /** The other party of an event (the user of a membership), empty if there is none. */
  readonly other: string
}

/** The outcome of the action in an audit entry. */
export type AuditOutcome = 'success' | 'denied'

type Stored = Readonly<Record<string, unknown>>

/** The emails that an event can cause. */
export type EmailKind =
  | 'invitation'
  | 'methods_reset'
  | 'verify_address'
  | 'address_changed'
  | 'method_added'
  | 'method_removed'
  | 'recovery_codes_generated'
  | 'recovery_code_used'
  | 'locked_out'
  | 'new_sign_in'
  | 'break_glass_used'
  | 'approval_requested'
  | 'approval_reminder'
  | 'access_request_decided'
  | 'access_review_opened'
  | 'lifecycle_message'
  | 'lifecycle_rule_paused'

/** The consequences of an event elsewhere. Every consumer reads its event types from here. */
export interface Consequences {
  /** Removes access: the command reports success only once that is in effect everywhere. */
  readonly takesAway: boolean
  /** Sign-in sessions that the event ends. Each application used in one of them gets a sign-out notice */
  readonly endsSessions: 'none' | 'this_one' | 'all_of_person' | 'by_method' | 'on_device'
  /** Memberships by rule that can change: those of the user, or those of the group. */
  readonly movesRuleMembers: 'none' | 'of_person' | 'of_group'
  /** The audit trail must remove a name, so the command also waits for the audit trail. */
  readonly forgetsNames: boolean
  /** Emails that the event can cause; its data decides which are sent, if any. */
  readonly emails: readonly EmailKind[]
  /** The users of provisioned applications can change: provisioning runs soon. */
  readonly marksProvisioning: boolean
  /** Every instance must reload its cached configuration. */
  readonly changesConfiguration: boolean
  /**
   * What follows for access packages: `delivery` if memberships by package or an approved request follow, for which
   * commands wait; `approvers` if other users may have to decide requests.
   */
  readonly movesPackageAccess: 'none' | 'delivery' | 'approvers'
}

/** For events without consequences. Any other event states all consequences itself. */
export const noConsequences = {
  takesAway: false,
  endsSessions: 'none',
  movesRuleMembers: 'none',
  forgetsNames: false,
  emails: [],
  marksProvisioning: false,
  changesConfiguration: false,
  movesPackageAccess: 'none',
} as const satisfies Consequences

/** How an event appears in the audit trail. */
type Audited<Data> =
  /** Another event of the same command represents it. */
  | { readonly audit: null }
  | { readonly audit: string; readonly ocsf: OcsfKind }
  /** The data decides; `actions` lists all possible results with their OCSF class. */
  | {
      readonly audit: (data: Data) => string | null
      readonly actions: Readonly<Record<string, OcsfKind>>
    }

/** Everything that the service knows about one event type except the shape of its data. */
export type CatalogueRow<Data> = Audited<Data> & {
  /** Current version of the data's shape, from 1. */
  readonly schema: number
  /** `denied` if the event records a rejected attempt. Omitted: success. */
  readonly outcome?: AuditOutcome | ((data: Data) => AuditOutcome)
  /** One English sentence, past tense, without its actor. */
  readonly summary: (data: Data, names: Names) => string
  readonly target: (data: Data) => { readonly type: string; readonly id: string }
  /** Top-level fields of data that are encrypted under the key of the user whom they describe. */
  readonly personal: readonly (keyof Data & string)[]
  /** The user whom the personal fields describe. */
  readonly subject: (data: Data) => string | null
  /** Converts stored data of version v to v+1. */
  readonly upcast?: Readonly<Record<number, (data: Stored) => Stored>>
  readonly consequences: Consequences
}

/** One row for each type of a union of events: a type without a row, or a row without a type, does not compile. */
export type Rows<Event extends { readonly type: string; readonly data: object }> = {
  readonly [T in Event['type']]: CatalogueRow<Extract<Event, { type: T }>['data']>
}

export const nobody = (): null => null
