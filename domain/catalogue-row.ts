import type { OcsfKind } from './audit/ocsf-classes.ts'

/** Names as they were when it happened, for the audit sentence. */
export interface Names {
  readonly target: string
  /** The other party of a two-sided event (the person of a membership), empty where there is none. */
  readonly other: string
}

/** What came of what an entry of the audit trail tells of. */
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

/** What an event brings about elsewhere. Every consumer takes the types it acts on from here. */
export interface Consequences {
  /** Takes something away: the command reports success only once that is in force everywhere. */
  readonly takesAway: boolean
  /** Sign-in sessions that end with it. Each application used in one of them gets a sign-out notice. */
  readonly endsSessions: 'none' | 'this_one' | 'all_of_person' | 'by_method' | 'on_device'
  /** Memberships by rule that may change: those of the person, or those of the group. */
  readonly movesRuleMembers: 'none' | 'of_person' | 'of_group'
  /** The audit trail no longer knows a name: the command waits for the audit trail too. */
  readonly forgetsNames: boolean
  /** Emails that it can cause; its data decides which of them, and whether any. */
  readonly emails: readonly EmailKind[]
  /** The people of provisioned applications may change: provisioning looks at them soon. */
  readonly marksProvisioning: boolean
  /** Every instance must reload the configuration that it holds in memory. */
  readonly changesConfiguration: boolean
}

/** For events that only say what happened. One that does anything more states every consequence itself. */
export const noConsequences = {
  takesAway: false,
  endsSessions: 'none',
  movesRuleMembers: 'none',
  forgetsNames: false,
  emails: [],
  marksProvisioning: false,
  changesConfiguration: false,
} as const satisfies Consequences

/** What the audit trail makes of an event. */
type Audited<Data> =
  /** Another event of the same command speaks for it. */
  | { readonly audit: null }
  | { readonly audit: string; readonly ocsf: OcsfKind }
  /** The data decides; `actions` are all that it can come to, with what each is in OCSF. */
  | {
      readonly audit: (data: Data) => string | null
      readonly actions: Readonly<Record<string, OcsfKind>>
    }

/** All that the service knows of one type of event besides the shape of its data. */
export type CatalogueRow<Data> = Audited<Data> & {
  /** Current version of the data's shape, from 1. */
  readonly schema: number
  /** `denied` where the event tells that an attempt was turned down. Left out: what it tells of was done. */
  readonly outcome?: AuditOutcome | ((data: Data) => AuditOutcome)
  /** One English sentence, past tense, without its actor. */
  readonly summary: (data: Data, names: Names) => string
  readonly target: (data: Data) => { readonly type: string; readonly id: string }
  /** Top-level fields of data that are sealed under the key of the person they are about. */
  readonly personal: readonly (keyof Data & string)[]
  /** The person whom the personal fields are about. */
  readonly subject: (data: Data) => string | null
  /** Lifts stored data of version v to v+1. */
  readonly upcast?: Readonly<Record<number, (data: Stored) => Stored>>
  readonly consequences: Consequences
}

/** One row for each type of a union of events: a type without a row, or a row without a type, does not compile. */
export type Rows<Event extends { readonly type: string; readonly data: object }> = {
  readonly [T in Event['type']]: CatalogueRow<Extract<Event, { type: T }>['data']>
}

export const nobody = (): null => null
