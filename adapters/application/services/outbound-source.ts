import type { Instant } from '../../../domain/time.ts'

/** An event to send */
export interface OutboundEvent {
  /** Its log position */
  readonly position: string
  /** Its id in the audit trail (`aud_`) or the sign-in events (`evt_`). */
  readonly id: string
  /** The audit action, or `sign_in.<result>`. */
  readonly type: string
  readonly time: Instant
  readonly data: Readonly<Record<string, unknown>>
  /** The users whom `data` describes */
  readonly subjects: readonly string[]
}

export interface OutboundLogPage {
  /** Oldest first */
  readonly events: readonly OutboundEvent[]
  /** The end of the range that these events cover. */
  readonly position: string
  /** Whether more events may follow. */
  readonly more: boolean
}

/** The source of outbound events. */
export interface OutboundSource {
  /** The log position up to which names and endpoints are known. */
  known(): Promise<string>
  /** Returns the events after one position, up to another. */
  page(after: string, upTo: string): Promise<OutboundLogPage>
  /** Returns a recorded event; null while it cannot be sent yet. */
  one(targetId: string, action: string, position: string): Promise<OutboundEvent | null>
}
