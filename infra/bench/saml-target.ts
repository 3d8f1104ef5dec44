/** What the processes of the SAML benchmark tell each other. */

/** A service that is ready for load. */
export interface SamlTarget {
  readonly port: number
  readonly entityId: string
  /** `Cookie` headers of people who are signed in and may use the application. */
  readonly cookies: readonly string[]
}

export interface SamlDriverTask {
  readonly target: SamlTarget
  readonly atOnce: number
  readonly seconds: number
}

export interface SamlDriverResult {
  readonly perSecond: number
  /** All that were sent, with those before the counting began. */
  readonly sent: number
}
