import type { IncomingMessage, ServerResponse } from 'node:http'
import { DomainError, errors, type ErrorCode } from '../../../../domain/errors.ts'
import { isPlaceholderAddress } from '../../../../domain/user/placeholder.ts'
import type { Parameters } from '../../../../domain/oidc/parameters.ts'
import type { LiveSession } from '../../../../read-models/queries/sign-in-state.ts'
import { domainOf } from '../../../../domain/identity-provider/claims.ts'
import type { UserServices } from '../../../application/commands/users.ts'
import { applicationLogoUrl } from '../../../application/services/logo-path.ts'
import { newId } from '../../../kernel/ids.ts'
import { languageOf, type Language } from '../../../kernel/language.ts'
import { readCookies } from '../../http/cookies.ts'
import { queryOf } from '../../http/form-body.ts'
import { redirect, sendHtmlPage, type HtmlPage } from '../../http/respond.ts'
import type { Endpoint, Handler } from '../../http/table.ts'
import { enrollmentBehind, enrollmentMethodsOf } from '../../../application/sign-in/enrollment.ts'
import { magicLinksOffered } from '../../../application/sign-in/magic-links.ts'
import { pendingLinks } from '../../sign-in/pending-links.ts'
import { strongestProofOf } from '../../sign-in/required-proof.ts'
import { waitingRequests, type WaitingRequest } from '../../sign-in/waiting-request.ts'
import type { PageModel } from '../kit/layout.ts'
import { ownLogo } from '../account/account-model.ts'
import { deviceAuthorizationPath } from '../device-authorization/routes.ts'
import type { WebPages } from '../pages.ts'
import { userLanguage } from '../user-language.ts'
import { enrollExpiredPage, enrollPage } from './enroll-page.ts'
import { errorText } from './error-texts.ts'
import { emailVerifiedPage, mailedLinkExpiredPage, mailedLinkPage, type MailedLink } from './link-pages.ts'
import { messageOf } from './message-of.ts'
import { helpAddress } from './help-address.ts'
import { ownPath } from '../../sign-in/own-path.ts'
import { providerStart } from './provider-buttons.ts'
import { signInPage, type SignInModel } from './sign-in-page.ts'
import { riskReasonText } from './risk-reason-texts.ts'
import { waysOf, type OfferedProvider } from './ways.ts'

export interface SignInRouteDeps {
  readonly pages: Pick<WebPages, 'page' | 'error'>
  readonly sessionOf: (request: IncomingMessage) => Promise<LiveSession | null>
  readonly sendProblem: (response: ServerResponse, code: string) => void
}

/** The script navigates here when the user may not use the application of the request. */
const denials = ['ERR_NOT_ASSIGNED', 'ERR_BLOCKED_BY_POLICY'] as const
const STRONGER = 'ERR_STRONGER_AUTH_REQUIRED'
/** The application, or otherwise the organization, requires another sign-in. */
const policyRequirements: ReadonlySet<string> = new Set([STRONGER, 'ERR_REAUTH_REQUIRED'])
/** The user may not be able to continue alone. */
const asksForHelp: ReadonlySet<string> = new Set([STRONGER, 'ERR_BLOCKED_BY_POLICY'])

/** The pages for sign-in and enrolment. They only display; the JSON API signs users in. */
export const signInPages = (services: UserServices, deps: SignInRouteDeps): readonly Endpoint[] => {
  const { publicUrl, configuration } = services
  const { pages, sessionOf, sendProblem } = deps
  const waiting = waitingRequests(services)
  const links = pendingLinks(services)

  /** The account at an identity provider that waits for its user to sign in here, and whether this needs a passkey. */
  const pendingLink = async (query: Parameters, request: IncomingMessage) => {
    const link =
      query.get('link') === undefined ? null : await links.find(readCookies(request.headers.cookie))
    if (link === null) return null
    const { userId, account } = link
    const { identityProviders } = await configuration.fresh()
    const provider = identityProviders.find(({ id }) => id === account.identityProviderId)
    const strongOnly = (await strongestProofOf(services, userId)) === 'phishing_resistant'
    return { provider: provider?.name ?? '', email: account.email ?? '', strongOnly, id: provider?.id }
  }

  /** Returns where a user without an application continues, and the purpose. */
  const ownPurpose = (query: Parameters): Pick<SignInModel, 'next' | 'purpose'> => {
    const userCode = query.get('device')
    if (userCode !== undefined) return { next: deviceAuthorizationPath(userCode), purpose: 'device' }
    return { next: ownPath(query.get('return'), publicUrl) }
  }

  const problemWith = (
    query: Parameters,
    session: LiveSession | null,
    authRequest: WaitingRequest | undefined,
    language: Language,
  ): SignInModel['error'] => {
    const code = query.get('error')
    if (code !== undefined && policyRequirements.has(code)) {
      const asking = authRequest?.application.name ?? configuration.now().settings.organizationName
      const why = riskReasonText(query.get('risk') ?? null, language)
      return { code, message: errorText(code, asking, language).message, why }
    }
    if (code !== undefined && Object.hasOwn(errors, code))
      return { code, message: messageOf(code as ErrorCode, language) }
    const reason = session === null ? null : (authRequest?.reason ?? null)
    return reason === null
      ? undefined
      : {
          code: reason,
          message: errorText(reason, authRequest?.application.name, language).message,
          why: riskReasonText(authRequest?.risk ?? null, language),
        }
  }

  const denied = (
    { id, application, redirectUri }: WaitingRequest,
    code: (typeof denials)[number],
  ): HtmlPage =>
    pages.error({
      status: 403,
      code,
      applicationName: application.name,
      requestId: newId('auditEvent'),
      back: { authRequest: id, target: redirectUri },
    })

  const signIn: Handler = async (request, response) => {
    const query = queryOf(request)
    const authRequestId = query.get('authRequest')
    const session = await sessionOf(request)
    const again = query.get('again') !== undefined
    const own = authRequestId === undefined ? ownPurpose(query) : {}
    if (authRequestId === undefined && session !== null && !again)
      return redirect(response, own.next ?? '/account')
    const authRequest = authRequestId === undefined ? undefined : await waiting(authRequestId)
    if (authRequest === null) return sendProblem(response, 'ERR_AUTH_REQUEST_EXPIRED')
    const denial = denials.find((code) => code === query.get('error'))
    if (authRequest !== undefined && denial !== undefined)
      return sendHtmlPage(response, 403, denied(authRequest, denial))
    // An address or domain that the application knows leads to the provider of the domain, without a question.
    const hinted = authRequest?.domainHint?.toLowerCase() ?? domainOf(authRequest?.loginHint ?? null)
    const home = (await configuration.fresh()).identityProviderByDomain.get(hinted)
    const isPlain = !again && query.get('error') === undefined && authRequest?.reason === null
    if (home !== undefined && isPlain && configuration.now().methods.identity_provider.enabled)
      return redirect(
        response,
        providerStart(home.id, {
          authRequestId,
          return: undefined,
          loginHint: undefined,
          again: undefined,
        }),
      )
    const asksAgain = again || (authRequest !== undefined && authRequest.reason !== null)
    const { methods, settings, identityProviders } = await configuration.fresh()
    const linking = await pendingLink(query, request)
    const offered = identityProviders.filter(({ id }) => id !== linking?.id)
    const magicLinks = await magicLinksOffered(services)
    const signedInAs = session !== null && asksAgain ? session : undefined
    const language = (await userLanguage(services, signedInAs?.userId)) ?? languageOf(query.get('language'))
    const draw = (base: PageModel): string => {
      const error = problemWith(query, session, authRequest, base.language)
      return signInPage({
        ...base,
        ...own,
        authRequestId,
        application: authRequest && {
          name: authRequest.application.name,
          logoUrl: ownLogo(applicationLogoUrl(authRequest.application, publicUrl), publicUrl),
        },
        loginHint: authRequest?.loginHint ?? undefined,
        error,
        help: asksForHelp.has(error?.code ?? '') ? helpAddress(settings) : undefined,
        signedInAs,
        asksAgain,
        pendingLink: linking ?? undefined,
        ways: waysOf(methods, magicLinks, error?.code === STRONGER || linking?.strongOnly === true, offered),
        linkMinutes: settings.magicLinkMinutes,
      })
    }
    const formTargets = authRequest === undefined ? [] : [authRequest.redirectUri]
    sendHtmlPage(response, 200, pages.page(draw, { formTargets, language }))
  }

  /** The provider of the user's domain, if it may enroll invited users by their address. */
  const enrollingProvider = async (email: string): Promise<OfferedProvider | undefined> => {
    const { identityProviderByDomain, methods } = await configuration.fresh()
    const provider = identityProviderByDomain.get(domainOf(email))
    const may = provider?.linking === 'email_verified' && provider.trustEmailVerified
    return may && methods.identity_provider.enabled ? provider : undefined
  }

  const enroll: Handler = async (_, response, { token = '' }) => {
    try {
      const { userId, kind, name, email, expiresAt } = await enrollmentBehind(services, token)
      const allowedMethods = await enrollmentMethodsOf(services, userId)
      const asksProfile = isPlaceholderAddress(email)
      const provider = kind === 'invite' ? await enrollingProvider(email) : undefined
      const draw = (base: PageModel): string =>
        enrollPage({ ...base, token, kind, name, email, asksProfile, expiresAt, allowedMethods, provider })
      const language = await userLanguage(services, userId)
      sendHtmlPage(response, 200, pages.page(draw, { language }))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (error.code === 'ERR_LINK_EXPIRED') sendHtmlPage(response, 404, pages.page(enrollExpiredPage))
      else sendProblem(response, error.code)
    }
  }

  const mailed = (link: MailedLink): readonly Endpoint[] => [
    {
      // The script navigates here, so that no address with a token stays in the history.
      path: `/${link}/expired`,
      handlers: {
        GET: (_, response) =>
          sendHtmlPage(
            response,
            404,
            pages.page((base) => mailedLinkExpiredPage({ ...base, link })),
          ),
      },
    },
    {
      path: `/${link}/{token}`,
      handlers: {
        GET: (_, response, { token = '' }) =>
          sendHtmlPage(
            response,
            200,
            pages.page((base) => mailedLinkPage({ ...base, link, token })),
          ),
      },
    },
  ]

  return [
    { path: '/sign-in', handlers: { GET: signIn } },
    { path: '/enroll/{token}', handlers: { GET: enroll } },
    {
      path: '/verify-email/done',
      handlers: {
        GET: (_, response) => sendHtmlPage(response, 200, pages.page(emailVerifiedPage)),
      },
    },
    ...mailed('magic-link'),
    ...mailed('verify-email'),
  ]
}
