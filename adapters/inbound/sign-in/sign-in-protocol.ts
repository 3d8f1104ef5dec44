import type { SignInNeed } from '../../../domain/oidc/sign-in-need.ts'
import type { ApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import type { GoodState } from '../../application/sign-in/token-check.ts'
import type { BrowserAnswer, BrowserRequest } from './browser-request.ts'
import type { ErrorPageModel } from './pages.ts'
import type { Pending } from './pending-sign-on.ts'

/** An accepted request from an application, and the configuration that it was read with. */
export interface Accepted<Application, P> {
  readonly application: Application
  readonly configuration: Configuration
  readonly pending: P
}

/** A user who may use the application, and the session. */
export interface Entrance {
  readonly session: LiveSession
  readonly state: GoodState
}

/** Why an application gets no user. */
export type Refusal =
  | { readonly reason: 'invalid_request' | 'login_required'; readonly description: string }
  | { readonly reason: 'not_assigned' | 'blocked_by_policy'; readonly session: LiveSession }
  /** The user chose to go back */
  | { readonly reason: 'cancelled' }

/** What one protocol adds to signing in to an application: reading requests and returning responses and errors. */
export interface SignInProtocol<Application extends ApplicationConfiguration, P extends Pending> {
  /** Where a pending request continues after the sign-in; a path of this service */
  readonly resumePath: string
  /** Whether its responses contain the user's groups, which needs another lookup */
  readonly namesGroups: boolean
  /** Returns the application if it uses this protocol. */
  readonly ownApplication: (application: ApplicationConfiguration | null | undefined) => Application | null
  readonly isOwn: (pending: Pending) => pending is P
  /** Whether refusals are always returned by the protocol, never on a page that offers a way back. */
  readonly isSilent: (pending: P) => boolean
  /** Whether the user can be asked to sign in again */
  readonly mayInteract: (pending: P) => boolean
  /** Whether attempts are recorded as sign-ins to the application */
  readonly isRecorded: boolean
  /** Whether the address for the response is still registered; otherwise what to show. */
  readonly registration: (
    application: Application,
    pending: P,
  ) => 'registered' | Pick<ErrorPageModel, 'code' | 'detail'>
  /** Returns what the request still requires from the user. */
  readonly need: (
    accepted: Accepted<Application, P>,
    session: LiveSession | null,
  ) => Promise<SignInNeed | { readonly need: 'invalid'; readonly description: string }>
  /** Returns where the user can go back to; null if no application sent a request. */
  readonly returnTo: (pending: P) => string | null
  readonly refuse: (
    accepted: Accepted<Application, P>,
    refusal: Refusal,
  ) => BrowserAnswer | Promise<BrowserAnswer>
  /** @returns `entered` with what opens the application, or `denied` if the protocol cannot identify the user */
  readonly answer: (
    accepted: Accepted<Application, P>,
    entrance: Entrance,
    browser: BrowserRequest,
  ) => Promise<{ readonly entered: BrowserAnswer } | { readonly denied: BrowserAnswer }>
  /** Runs work for a known application, which may be notified of failures on our side. */
  readonly guarded: (
    accepted: Pick<Accepted<Application, P>, 'application' | 'pending'>,
    requestId: string,
    work: () => Promise<BrowserAnswer>,
  ) => Promise<BrowserAnswer>
}
