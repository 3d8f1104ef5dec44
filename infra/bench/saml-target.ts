/** The messages between the processes of the SAML benchmark. */

/** A service that is ready for load. */
export interface SamlTarget {
  readonly port: number
  readonly entityId: string
  /** `Cookie` headers of signed-in users who may use the application */
  readonly cookies: readonly string[]
}

export interface SamlDriverTask {
  readonly target: SamlTarget
  readonly atOnce: number
  readonly seconds: number
}

export interface SamlDriverResult {
  readonly perSecond: number
  /** All requests, including those before the measurement */
  readonly sent: number
}
