import { randomBytes } from 'node:crypto'

/** An authentication request as service providers write them. */
export const authnRequestXml = (
  given: {
    readonly issuer?: string
    readonly id?: string
    readonly issueInstant?: string
    /** Further attributes, with a space before each. */
    readonly attributes?: string
    /** What follows the issuer. */
    readonly content?: string
  } = {},
): string => {
  const { issuer = 'https://app.example.com', id = `_${randomBytes(16).toString('hex')}` } = given
  const { issueInstant = new Date().toISOString(), attributes = '', content = '' } = given
  return (
    `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ` +
    `xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" ` +
    `IssueInstant="${issueInstant}"${attributes}><saml:Issuer>${issuer}</saml:Issuer>${content}</samlp:AuthnRequest>`
  )
}
