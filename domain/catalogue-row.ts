/** Names as they were when it happened, for the audit sentence. */
export interface Names {
  readonly target: string
  /** The other party of a two-sided event (the person of a membership), empty where there is none. */
  readonly other: string
}

/** What came of what an entry of the audit trail tells of. */
export type AuditOutcome = 'success' | 'denied'

type Stored = Readonly<Record<string, unknown>>

/** All that the service knows of one type of event besides the shape of its data. */
export interface CatalogueRow<Data> {
  /** Current version of the data's shape, from 1. */
  readonly schema: number
  /** Audit action, or null where another event of the same command speaks for it. */
  readonly audit: string | null | ((data: Data) => string | null)
  /** Every action that `audit` can come to, where the data decides. */
  readonly actions?: readonly string[]
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
}

/** One row for each type of a union of events: a type without a row, or a row without a type, does not compile. */
export type Rows<Event extends { readonly type: string; readonly data: object }> = {
  readonly [T in Event['type']]: CatalogueRow<Extract<Event, { type: T }>['data']>
}

export const nobody = (): null => null
