import type { Instant } from '../../../domain/time.ts'

/** An event on its way to the outside. */
export interface OutboundEvent {
  /** Its place in the log. */
  readonly position: string
  /** Under which the audit trail (`aud_`) or the sign-in events (`evt_`) have it. */
  readonly id: string
  /** The audit action, or `sign_in.<result>`. */
  readonly type: string
  readonly time: Instant
  readonly data: Readonly<Record<string, unknown>>
  /** People whom `data` says something about. */
  readonly subjects: readonly string[]
}

export interface OutboundPage {
  /** Oldest first. */
  readonly events: readonly OutboundEvent[]
  /** Up to where there is nothing besides these events. */
  readonly position: string
  /** Whether there may be more after it. */
  readonly more: boolean
}

/** Where outbound events come from. */
export interface OutboundSource {
  /** How far what is said of events is known: names, endpoints. */
  known(): Promise<string>
  /** Events after a place, never past another. */
  page(after: string, upTo: string): Promise<OutboundPage>
  /** One that was recorded just now; null while it cannot be told of. */
  one(targetId: string, action: string, position: string): Promise<OutboundEvent | null>
}
