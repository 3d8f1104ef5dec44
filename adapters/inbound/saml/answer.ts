/** SAML 2.0 Bindings §3.5: sends responses in a form that posts itself to the application. */
import { hash } from 'node:crypto'
import { samlAssertionDecider, samlAssertionStream } from '../../../domain/saml-assertion/decider.ts'
import { DomainError } from '../../../domain/errors.ts'
import { assertionResponse, denialResponse, type Denial } from '../../../domain/saml/response.ts'
import { attributesOf, nameIdOf } from '../../../domain/saml/subject.ts'
import type { SamlApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Configuration, SamlSigningCertificate } from '../../application/services/configuration.ts'
import { actingPerson, type RequestOrigin } from '../http/request-origin.ts'
import type { BrowserAnswer } from '../sign-in/browser-request.ts'
import { idpEntityId } from './metadata.ts'
import type { PendingSignOn } from '../sign-in/pending-sign-on.ts'
import type { SignInContext } from '../sign-in/sign-in-context.ts'
import type { Entrance } from '../sign-in/sign-in-protocol.ts'
import { signedResponse } from './response.ts'

/**
 * Identifies a response in the log, so that a request gets at most one: by application and request, or uniquely if the
 * response was not requested.
 */
const keyOf = (applicationId: string, requestId: string | null, assertionId: string): string =>
  requestId === null ? assertionId : hash('sha256', JSON.stringify([applicationId, requestId]))

/**
 * Returns the signer.
 * @throws DomainError ERR_UNAVAILABLE before the first certificate exists
 */
const signerIn = ({ samlCertificate }: Configuration): SamlSigningCertificate => {
  if (samlCertificate === null)
    throw new DomainError('ERR_UNAVAILABLE', 'No SAML certificate is available yet.')
  return samlCertificate
}

export const samlAnswers = ({ services, pages }: Pick<SignInContext, 'services' | 'pages'>) => {
  const { handle, random, publicUrl } = services
  const newXmlId = (): string => `_${random(16).toString('hex')}`

  const posted = (
    { name }: SamlApplicationConfiguration,
    { acsUrl, relayState }: PendingSignOn,
    response: string,
  ): BrowserAnswer => ({
    status: 200,
    page: pages.formPost({
      action: acsUrl,
      applicationName: name,
      leadsToApps: false,
      fields: {
        SAMLResponse: Buffer.from(response).toString('base64'),
        ...(relayState === null ? {} : { RelayState: relayState }),
      },
    }),
  })

  const parties = ({ acsUrl, requestId }: PendingSignOn) => ({
    issuer: idpEntityId(publicUrl),
    acsUrl,
    inResponseTo: requestId,
  })

  return {
    /**
     * Creates an assertion about the user. It is recorded before it is sent, because it opens the application without
     * another request here, unlike a code.
     * @returns null if the request already got a response
     */
    assertion: async (
      application: SamlApplicationConfiguration,
      configuration: Configuration,
      pending: PendingSignOn,
      { session, state }: Entrance,
      origin: RequestOrigin,
    ): Promise<BrowserAnswer | null> => {
      const { id: applicationId, saml } = application
      const { userId, sessionId, expiresAt } = session
      const signer = signerIn(configuration)
      const assertionId = newXmlId()
      const person = { userId, ...state }
      const response = assertionResponse({
        ...parties(pending),
        responseId: newXmlId(),
        assertionId,
        audience: saml.entityId,
        nameId: nameIdOf(saml.nameIdFormat, person),
        attributes: attributesOf(saml.attributeNames, person),
        session: {
          sessionId,
          authTime: state.authTime,
          expiresAt: saml.sessionNotOnOrAfter ? expiresAt : null,
        },
        nowMs: Date.parse(services.clock.now()),
      })
      const issuing = handle(
        samlAssertionDecider,
        samlAssertionStream(keyOf(applicationId, pending.requestId, assertionId)),
        { type: 'issue', assertion: { assertionId, applicationId, userId, sessionId } },
        actingPerson(session, origin),
        { wait: 'recorded', presumed: { state: samlAssertionDecider.initial, revision: -1 } },
      ).then(
        () => true,
        (error: unknown) => {
          if (error instanceof DomainError && error.code === 'ERR_CONFLICT') return false
          throw error
        },
      )
      const [text, issued] = await Promise.all([signedResponse(response, signer, saml.signResponse), issuing])
      return issued ? posted(application, pending, text) : null
    },

    /** Sends the application a response without an assertion. */
    denial: async (
      application: SamlApplicationConfiguration,
      configuration: Configuration,
      pending: PendingSignOn,
      denial: Denial,
    ): Promise<BrowserAnswer> => {
      const nowMs = Date.parse(services.clock.now())
      const response = denialResponse(parties(pending), { responseId: newXmlId(), denial, nowMs })
      return posted(application, pending, await signedResponse(response, signerIn(configuration), true))
    },
  }
}
