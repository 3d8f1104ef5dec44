/** The pages that protocol endpoints show. */

export interface HtmlPage {
  readonly html: string
  /** Content-Security-Policy and other headers that the page needs. */
  readonly headers: Readonly<Record<string, string>>
}

export interface ErrorPageModel {
  readonly status: number
  readonly code:
    | 'ERR_INVALID_CLIENT'
    | 'ERR_INVALID_REDIRECT_URI'
    | 'ERR_INVALID_LOGOUT'
    | 'ERR_INVALID_SAML_REQUEST'
    | 'ERR_CROSS_SITE'
    | 'ERR_NOT_ASSIGNED'
    | 'ERR_AUTH_REQUEST_EXPIRED'
    | 'ERR_RATE_LIMITED'
    | 'ERR_UNAVAILABLE'
    | 'ERR_INTERNAL'
  /** Absent when it is not known. */
  readonly applicationName?: string
  readonly requestId: string
  /** What is wrong, for the application's developer, in the service's own words. */
  readonly detail?: string
  /** A way back: a form that posts the request's id to `/sign-in/cancel`, which answers by a redirect to `target`. */
  readonly back?: { readonly authRequest: string; readonly target: string }
}

/** Sends fields on to an application by a form (OAuth 2.0 Form Post Response Mode, SAML HTTP-POST). */
export interface FormPostPageModel {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  readonly applicationName: string
  /** Whether the application may redirect the post to an installed one; the page allows only web addresses otherwise. */
  readonly leadsToApps: boolean
}

/** Asks whether to sign out. */
export interface SignOutPageModel {
  /** Absent if no application is involved, or an unknown one. */
  readonly application?: { readonly name: string; readonly logoUrl?: string | undefined }
  /** Where the person's answer is posted, on this origin, with its fields. */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  /** Where the answer leads, if it is not a page of this service. */
  readonly target: string | null
}

export interface ProtocolPages {
  readonly error: (model: ErrorPageModel) => HtmlPage
  readonly formPost: (model: FormPostPageModel) => HtmlPage
  readonly signOut: (model: SignOutPageModel) => HtmlPage
}
