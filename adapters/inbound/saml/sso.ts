/**
 * SAML 2.0 Profiles §4.1, the web browser SSO profile. Nothing is sent to an address that is not registered: if no
 * response is possible, the user gets an error page.
 */
import {
  acceptAuthnRequest,
  type AuthnRequest,
  type AuthnRequestProblem,
} from '../../../domain/saml/authn-request.ts'
import { canBeNamed } from '../../../domain/saml/subject.ts'
import type { SamlApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import { applicationSignIn } from '../sign-in/application-sign-in.ts'
import type { BrowserAnswer, BrowserRequest } from '../sign-in/browser-request.ts'
import type { ErrorPageModel } from '../sign-in/pages.ts'
import { isSignOn, resumePaths, type PendingSignOn } from '../sign-in/pending-sign-on.ts'
import type { SignInContext } from '../sign-in/sign-in-context.ts'
import type { SignInProtocol } from '../sign-in/sign-in-protocol.ts'
import { samlAnswers } from './answer.ts'
import type { BoundMessage } from './binding.ts'
import { ssoUrl } from './metadata.ts'
import { SamlRequestError } from './request-error.ts'
import { readAuthnRequest } from './request.ts'

type Problem = Omit<AuthnRequestProblem, 'code'> & Pick<ErrorPageModel, 'code'>

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/
const NOT_REGISTERED = 'the address is no longer registered'

export const samlSignOn = (context: SignInContext) => {
  const { services } = context
  const { clock, configuration: cache, publicUrl } = services
  const answers = samlAnswers(context)

  const protocol: SignInProtocol<SamlApplicationConfiguration, PendingSignOn> = {
    resumePath: resumePaths.saml,
    namesGroups: true,
    ownApplication: (application) => (application?.protocol === 'saml' ? application : null),
    isOwn: isSignOn,
    isSilent: () => false,
    mayInteract: () => true,
    isRecorded: true,
    registration: ({ saml }, { entityId, acsUrl }) =>
      saml.entityId === entityId && saml.acsUrls.includes(acsUrl)
        ? 'registered'
        : { code: 'ERR_INVALID_REDIRECT_URI', detail: NOT_REGISTERED },
    need: (_, session) =>
      Promise.resolve(session === null ? { need: 'sign_in', reason: null } : { need: 'none' }),
    returnTo: ({ requestId, acsUrl }) => (requestId === null ? null : acsUrl),
    refuse: ({ application, configuration, pending }, { reason }) => {
      if (pending.requestId === null) return { location: `${publicUrl}/` }
      const denial = reason === 'cancelled' && pending.refused !== true ? 'authnFailed' : 'requestDenied'
      return answers.denial(application, configuration, pending, denial)
    },
    answer: async ({ application, configuration, pending }, entrance, browser) => {
      if (!canBeNamed(application.saml.nameIdFormat, entrance.state))
        return { denied: await answers.denial(application, configuration, pending, 'requestDenied') }
      const entered = await answers.assertion(application, configuration, pending, entrance, browser)
      if (entered !== null) return { entered }
      return {
        denied: signIn.errorPage({
          status: 400,
          code: 'ERR_AUTH_REQUEST_EXPIRED',
          applicationName: application.name,
          requestId: browser.requestId,
        }),
      }
    },
    guarded: (_, __, work) => work(),
  }
  const signIn = applicationSignIn(context, protocol)

  const badRequest = (
    { code, description }: Problem,
    { requestId }: BrowserRequest,
    application?: SamlApplicationConfiguration,
  ): BrowserAnswer =>
    signIn.errorPage({
      status: 400,
      code,
      requestId,
      detail: description,
      ...(application === undefined ? {} : { applicationName: application.name }),
    })

  /** Returns the result of a request under this configuration. */
  const resultOf = (
    configuration: Configuration,
    { request, relayState }: { readonly request: AuthnRequest; readonly relayState: string | null },
  ) => {
    const application = configuration.samlByEntityId.get(request.issuer)
    if (application?.status !== 'active') return { unknown: application }
    const { saml } = application
    const nowMs = Date.parse(clock.now())
    const result = acceptAuthnRequest(request, { ...saml, ssoUrl: ssoUrl(publicUrl), nowMs })
    if ('problem' in result) return { application, problem: result.problem }
    const { subject } = request
    const pending: PendingSignOn = {
      protocol: 'saml',
      entityId: saml.entityId,
      requestId: request.id,
      acsUrl: result.acsUrl,
      relayState,
      loginHint: subject !== null && EMAIL.test(subject) ? subject : null,
    }
    return { accepted: { application, configuration, pending } }
  }

  return {
    /**
     * Handles a sign-in request from an application.
     * @param read returns the message, or throws SamlRequestError
     * @param posted as in `applicationSignIn`
     */
    begin: async (
      read: () => Promise<BoundMessage>,
      browser: BrowserRequest,
      posted: boolean,
    ): Promise<BrowserAnswer> => {
      try {
        const { xml, relayState } = await read()
        const message = { request: readAuthnRequest(xml), relayState }
        const remembered = posted || browser.cookie === undefined ? undefined : resultOf(cache.now(), message)
        const common = remembered?.accepted && (await signIn.atOnce(remembered.accepted, browser))
        if (common) return common
        const { unknown, application, problem, accepted } = resultOf(await cache.fresh(), message)
        if (problem !== undefined) return badRequest(problem, browser, application)
        if (accepted === undefined) return await signIn.noApplication(unknown, browser)
        return await signIn.begin(accepted, browser, posted)
      } catch (error) {
        if (!(error instanceof SamlRequestError)) throw error
        return badRequest({ code: 'ERR_INVALID_SAML_REQUEST', description: error.message }, browser)
      }
    },

    /** Handles a user who opens an application from here (Profiles §4.1.5, unsolicited responses). */
    launch: async (applicationId: string, browser: BrowserRequest): Promise<BrowserAnswer> => {
      const configuration = await cache.fresh()
      const application = configuration.applicationById.get(applicationId)
      if (application?.status !== 'active' || application.protocol !== 'saml')
        return signIn.noApplication(application, browser)
      const { entityId, acsUrls, defaultRelayState } = application.saml
      const [acsUrl] = acsUrls
      if (acsUrl === undefined)
        return badRequest(
          { code: 'ERR_INVALID_REDIRECT_URI', description: NOT_REGISTERED },
          browser,
          application,
        )
      const pending: PendingSignOn = {
        protocol: 'saml',
        entityId,
        requestId: null,
        acsUrl,
        relayState: defaultRelayState ?? null,
        loginHint: null,
      }
      return signIn.begin({ application, configuration, pending }, browser, false)
    },

    resume: signIn.resume,
    cancel: signIn.cancel,
  }
}

export type SamlSignOn = ReturnType<typeof samlSignOn>
