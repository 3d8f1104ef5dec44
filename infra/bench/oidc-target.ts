/** The messages between the processes of the token benchmark. */

export interface Client {
  readonly clientId: string
  readonly clientSecret: string
}

/** A server that is ready for load. */
export interface Target {
  readonly port: number
  /** Signs users in */
  readonly web: Client
  readonly redirectUri: string
  /** The additional scope for getting a refresh token */
  readonly refreshScope: string
  /** Acts for itself */
  readonly service: Client
  /** `Cookie` headers of signed-in users who may use `web` */
  readonly cookies: readonly string[]
}

export const operations = [
  'authorize',
  'client credentials',
  'code flow',
  'refresh',
  'userinfo',
  'introspection',
] as const

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
      /** All requests, including those before the measurement */
      readonly sent: number
      /** Latency of each operation, in milliseconds */
      readonly latencies: readonly number[]
    }
  | { readonly notServed: string }

export const REDIRECT_URI = 'https://app.example.com/callback'
export const PEOPLE = 50
