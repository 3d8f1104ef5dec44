/** What the processes of the token benchmark tell each other. */

export interface Client {
  readonly clientId: string
  readonly clientSecret: string
}

/** A server that is ready for load. */
export interface Target {
  readonly port: number
  /** Signs people in. */
  readonly web: Client
  readonly redirectUri: string
  /** What to ask for besides, to get a refresh token. */
  readonly refreshScope: string
  /** Acts for itself. */
  readonly service: Client
  /** `Cookie` headers of people who are signed in and may use `web`. */
  readonly cookies: readonly string[]
}

export const operations = ['client credentials', 'code flow', 'refresh', 'userinfo', 'introspection'] as const

export type Operation = (typeof operations)[number]

export interface DriverTask {
  readonly target: Target
  readonly operation: Operation
  readonly atOnce: number
  readonly seconds: number
}

export type DriverResult =
  | {
      readonly perSecond: number
      /** All that were sent, with those before the counting began. */
      readonly sent: number
      /** Of each of them, in milliseconds. */
      readonly latencies: readonly number[]
    }
  | { readonly notServed: string }

export const REDIRECT_URI = 'https://app.example.com/callback'
export const PEOPLE = 50
