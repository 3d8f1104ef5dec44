/** The result of a test sign-in: each step up to the answer, and what the application would have received. */
import type { SignInMethod, Strength } from '../../../domain/session/events.ts'
import type { Attribute, NameId } from '../../../domain/saml/subject.ts'

export type TestedAnswer =
  | {
      readonly protocol: 'oidc'
      /** Without `nonce` and `at_hash`, which belong to one request */
      readonly idToken: Readonly<Record<string, unknown>> | null
      readonly userinfo: Readonly<Record<string, unknown>> | null
      readonly accessToken: {
        readonly format: 'opaque' | 'jwt'
        readonly audience: readonly string[]
        readonly scopes: readonly string[]
        readonly lifetimeSeconds: number
      }
      readonly hasRefreshToken: boolean
    }
  | {
      readonly protocol: 'saml'
      readonly nameId: NameId
      readonly attributes: readonly Attribute[]
      /** The assertion before it is signed */
      readonly xml: string
    }

export interface TestReport {
  readonly application: { readonly id: string; readonly name: string }
  readonly request:
    | {
        readonly protocol: 'oidc'
        readonly clientId: string
        readonly redirectUri: string
        readonly scopes: readonly string[]
      }
    | { readonly protocol: 'saml'; readonly entityId: string; readonly acsUrl: string }
  readonly person: {
    readonly name: string
    readonly email: string
    readonly methods: readonly SignInMethod[]
    readonly strength: Strength
    readonly authTime: string
  }
  readonly access:
    | { readonly outcome: 'assigned'; readonly groups: readonly string[] }
    | { readonly outcome: 'open_to_all' | 'not_assigned' | 'blocked_by_policy' }
  /** Null if the application would have received none: not assigned, or the user has no readable address for it */
  readonly answer: TestedAnswer | null
  /** Whether the reader started the test, so can return to the console */
  readonly isOwn: boolean
}
