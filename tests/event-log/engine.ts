/** An engine of the event log, as the contract tests it. */
import type { EventLog, RetentionPolicy } from '../../adapters/engines/event-log/event-log.ts'

export interface Engine {
  /** Opens the store of the suite; each call opens another instance, like another process. */
  readonly open: (retention: RetentionPolicy) => Promise<EventLog>
  /** Breaks the connections of all subscriptions, if possible. */
  readonly cutSubscriptions?: () => Promise<void>
  /** Makes events of a short-lived category expire after these seconds. */
  readonly expire: (log: EventLog, seconds: number) => Promise<void>
  readonly close: () => Promise<void>
}
