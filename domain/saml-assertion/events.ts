/** An assertion left the house (SAML 2.0 Core §2.3.3). It is good for minutes, so that nothing more happens to it. */
export type SamlAssertionEvent = {
  type: 'saml_assertion.issued'
  data: {
    /** As the assertion names itself. */
    readonly assertionId: string
    readonly applicationId: string
    readonly userId: string
    readonly sessionId: string
  }
}
