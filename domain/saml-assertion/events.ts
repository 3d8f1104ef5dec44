/** An assertion was issued (SAML 2.0 Core §2.3.3). It is valid for minutes, so no further events follow. */
export type SamlAssertionEvent = {
  type: 'saml_assertion.issued'
  data: {
    /** The ID of the assertion. */
    readonly assertionId: string
    readonly applicationId: string
    readonly userId: string
    readonly sessionId: string
  }
}
