/** The messages between the processes of the benchmark of hostile requests. */

export interface HostileTarget {
  readonly port: number
  /** Entity id of a SAML application */
  readonly entityId: string
  /** Client id of a public client */
  readonly clientId: string
}

export interface AttackTask {
  readonly port: number
  /** In base64, each sent in turn */
  readonly requests: readonly string[]
  readonly atOnce: number
  readonly seconds: number
}

export interface AttackResult {
  readonly sent: number
}
