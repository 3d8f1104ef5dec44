/**
 * The service as a service provider of SAML identity providers (SAML 2.0 Profiles §4.1): signed requests with
 * HTTP-Redirect, signed assertions with HTTP-POST. node-saml builds requests and verifies signatures.
 */
import type { SAML as NodeSaml } from '@node-saml/node-saml'
import { DomainError } from '../../../../domain/errors.ts'
import { nameIdFormats } from '../../../../domain/saml/names.ts'
import { XmlError } from '../../../kernel/xml.ts'
import type { Services } from '../../services/services.ts'
import {
  CLOCK_TOLERANCE,
  FRESH_SECONDS,
  ProviderDenied,
  ProviderFailed,
  type AuthorizationSecrets,
  type AuthorizationWish,
  type SamlProvider,
} from './provider-protocol.ts'
import { checkResponse, readAssertion, type SamlExpectation, type SamlIdentity } from './saml-assertion.ts'

/** The service's own names at a provider. */
export interface SamlServiceProvider {
  readonly entityId: string
  readonly acsUrl: string
}

/** Returns the ID of the AuthnRequest of a sign-in. An ID starts with no digit. */
const requestIdOf = ({ nonce }: Pick<AuthorizationSecrets, 'nonce'>): string => `_${nonce}`

const nothingStored = {
  saveAsync: () => Promise.resolve(null),
  getAsync: () => Promise.resolve(null),
  removeAsync: () => Promise.resolve(null),
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** @param namesAt the service's names at the provider with an id */
export const samlProviders = (
  { configuration, clock }: Pick<Services, 'configuration' | 'clock'>,
  namesAt: (identityProviderId: string) => SamlServiceProvider,
) => {
  const client = async (
    { id, ssoUrl, certificates, nameIdFormat }: SamlProvider,
    requestId: string,
    fresh: boolean,
  ): Promise<NodeSaml> => {
    const { samlCertificate } = await configuration.fresh()
    if (samlCertificate === null)
      throw new DomainError('ERR_UNAVAILABLE', 'No SAML certificate is available yet.')
    const { entityId, acsUrl } = namesAt(id)
    // Loaded when the first user needs it: it is large.
    const { SAML } = await import('@node-saml/node-saml')
    return new SAML({
      ...{ issuer: entityId, callbackUrl: acsUrl, entryPoint: ssoUrl, idpCert: [...certificates] },
      identifierFormat: nameIdFormat === null ? null : nameIdFormats[nameIdFormat],
      privateKey: samlCertificate.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      signatureAlgorithm: 'sha256',
      generateUniqueId: () => requestId,
      forceAuthn: fresh,
      disableRequestedAuthnContext: true,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: false,
      // Checked by `readAssertion`, in what the signature covers and with the service's clock.
      ...{ audience: false, acceptedClockSkewMs: -1, cacheProvider: nothingStored },
    })
  }

  /** Returns the assertion in the canonical form that its signature covers. */
  const verified = async (provider: SamlProvider, response: string): Promise<string> => {
    const saml = await client(provider, '_', false)
    const SAMLResponse = Buffer.from(response).toString('base64')
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse }).catch((error: unknown) => {
      throw new ProviderFailed(
        `its assertion has no signature that its certificates verify (${messageOf(error)})`,
      )
    })
    const assertion = profile?.getAssertionXml?.()
    if (assertion === undefined) throw new ProviderFailed('its response has no assertion')
    return assertion
  }

  return {
    /** Returns the address of the provider where the browser continues: SAML 2.0 Bindings §3.4, signed. */
    authnRequestUrl: async (
      provider: SamlProvider,
      secrets: AuthorizationSecrets,
      { loginHint, fresh }: AuthorizationWish,
    ): Promise<string> => {
      const saml = await client(provider, requestIdOf(secrets), fresh)
      // Not of SAML: Microsoft Entra ID and others understand it, the rest ignore it.
      const additionalParams = loginHint === null ? {} : { login_hint: loginHint }
      return saml.getAuthorizeUrlAsync(secrets.state, undefined, { additionalParams })
    },

    /**
     * Verifies a response.
     * @param response the XML as received
     * @param secrets of the sign-in that asked for it; null if no request asked
     * @throws ProviderDenied, ProviderFailed
     */
    identity: async (
      provider: SamlProvider,
      response: string,
      secrets: AuthorizationSecrets | null,
      { fresh }: Pick<AuthorizationWish, 'fresh'>,
    ): Promise<SamlIdentity> => {
      const { entityId, acsUrl } = namesAt(provider.id)
      const expected: SamlExpectation = {
        issuer: provider.issuer,
        audience: entityId,
        recipient: acsUrl,
        requestId: secrets === null ? null : requestIdOf(secrets),
      }
      try {
        checkResponse(response, expected)
        const nowMs = Date.parse(clock.now())
        const identity = readAssertion(await verified(provider, response), expected, nowMs)
        const age = nowMs / 1000 - (identity.authTime ?? 0)
        if (fresh && age > FRESH_SECONDS + CLOCK_TOLERANCE)
          throw new ProviderFailed('AuthnInstant is too old, although ForceAuthn was requested')
        return identity
      } catch (error) {
        if (error instanceof ProviderDenied || error instanceof ProviderFailed) throw error
        if (error instanceof DomainError) throw error
        throw new ProviderFailed(
          error instanceof XmlError ? `its response is invalid: ${error.message}` : messageOf(error),
        )
      }
    },
  }
}
