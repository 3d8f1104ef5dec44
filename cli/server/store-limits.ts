/**
 * How long a running service waits for its stores, in milliseconds: it reports a hanging store as an outage
 * before its client times out.
 */
export interface StoreLimits {
  /** For getting a connection to the database */
  readonly connect: number
  /** For one statement of a request */
  readonly statement: number
  /** For one statement of background work */
  readonly workStatement: number
  /** After which an instance that hangs in a transaction loses the locks of the transaction */
  readonly idleTransaction: number
  /** For getting a connection to the event log */
  readonly logConnect: number
  /** For the result of an append */
  readonly append: number
  /** For a recorded change to take effect */
  readonly inForce: number
}

export const storeLimits: StoreLimits = {
  connect: 2000,
  statement: 2000,
  workStatement: 5000,
  idleTransaction: 2000,
  logConnect: 1500,
  append: 1800,
  inForce: 2000,
}
