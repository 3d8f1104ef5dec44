/** What an administrator can see of the operation of the service. */
export interface ConsumerState {
  readonly name: string
  /** Log position up to which it has processed events, on any instance; empty before the first */
  readonly position: string
  /** On this instance; `waiting` if another instance runs it */
  readonly state: 'waiting' | 'running' | 'stopped'
  /** Whether it has reached the end of the log; null if another instance runs it */
  readonly caughtUp: boolean | null
  /** The event that it cannot process; null if there is none */
  readonly failedEventId: string | null
}

export interface ServiceStatus {
  readonly eventLog: { readonly engine: 'postgres' | 'eventstoredb'; readonly head: string }
  readonly consumers: readonly ConsumerState[]
  /** Schemas of the read models of other versions that are running */
  readonly otherVersions: readonly string[]
}
