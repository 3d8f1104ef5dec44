/** What the processes of the benchmark of hostile requests tell each other. */

export interface HostileTarget {
  readonly port: number
  /** Of a SAML application. */
  readonly entityId: string
  /** Of a public client. */
  readonly clientId: string
}

export interface AttackTask {
  readonly port: number
  /** In base64, each sent in turn. */
  readonly requests: readonly string[]
  readonly atOnce: number
  readonly seconds: number
}

export interface AttackResult {
  readonly sent: number
}
