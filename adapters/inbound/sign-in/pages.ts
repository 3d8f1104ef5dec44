/** The pages that protocol endpoints show. */
import type { TestReport } from './test-report.ts'
import type { HtmlPage } from '../http/respond.ts'

export interface ErrorPageModel {
  readonly status: number
  readonly code:
    | 'ERR_INVALID_CLIENT'
    | 'ERR_INVALID_REDIRECT_URI'
    | 'ERR_INVALID_LOGOUT'
    | 'ERR_INVALID_SAML_REQUEST'
    | 'ERR_CROSS_SITE'
    | 'ERR_NOT_ASSIGNED'
    | 'ERR_BLOCKED_BY_POLICY'
    | 'ERR_AUTH_REQUEST_EXPIRED'
    | 'ERR_PROVIDER_FAILED'
    | 'ERR_RATE_LIMITED'
    | 'ERR_UNAVAILABLE'
    | 'ERR_INTERNAL'
  /** Omitted if it is unknown */
  readonly applicationName?: string
  readonly requestId: string
  /** The error for the application's developer, never with text from the request */
  readonly detail?: string
  /** The way back: a form that posts the id of the request to `/sign-in/cancel`, which redirects to `target` */
  readonly back?: { readonly authRequest: string; readonly target: string }
}

/** Sends fields to an application with a form (OAuth 2.0 Form Post Response Mode, SAML HTTP-POST). */
export interface FormPostPageModel {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly applicationName: string
  /**
   * Whether the application may redirect the post to an installed application; otherwise the page allows only web
   * addresses
   */
  readonly leadsToApps: boolean
}

/** Asks whether to sign out. */
export interface SignOutPageModel {
  /** Omitted if no application is involved, or an unknown one */
  readonly application?: { readonly name: string; readonly logoUrl?: string | undefined }
  /** Where the confirmation is posted, on this origin, with its fields */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  /** Where the browser continues, if it is not a page of this service */
  readonly target: string | null
}

/** Continues with what a SAML identity provider has posted. */
export interface ProviderResponsePageModel {
  readonly identityProviderId: string
  /** Base64 */
  readonly samlResponse: string
  readonly relayState: string | null
}

export interface ProtocolPages {
  readonly error: (model: ErrorPageModel) => HtmlPage
  readonly formPost: (model: FormPostPageModel) => HtmlPage
  readonly signOut: (model: SignOutPageModel) => HtmlPage
  readonly providerResponse: (model: ProviderResponsePageModel) => HtmlPage
  readonly testReport: (report: TestReport) => HtmlPage
}
