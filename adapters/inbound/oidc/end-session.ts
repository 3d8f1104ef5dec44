/**
 * OpenID Connect RP-Initiated Logout 1.0: the end-session endpoint. An ID token identifies the session to end; without
 * one, the user must confirm on a page of this service, whose form is bound to their session.
 */
import { allGrantsDecider, allGrantsStream } from '../../../domain/grant/all.ts'
import { applicationLogoUrl } from '../../application/services/logo-path.ts'
import {
  clientOfRequest,
  mustAsk,
  parseEndSessionRequest,
  type IdTokenHint,
} from '../../../domain/oidc/end-session.ts'
import type { Parameters } from '../../../domain/oidc/parameters.ts'
import type { OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import { signOutState } from '../../../read-models/queries/sign-out.ts'
import { endSession } from '../../application/commands/session-end.ts'
import type { Actor } from '../../application/services/handle.ts'
import { noSessionCookie } from '../sign-in/cookie.ts'
import { actingPerson, type RequestOrigin } from '../http/request-origin.ts'
import type { BrowserAnswer } from '../sign-in/browser-request.ts'
import type { OidcContext } from './context.ts'
import { openIdTokenHint } from './id-tokens.ts'
import { sealedJson } from '../../engines/vault/sealed-json.ts'

/** How long the user can take to confirm the sign-out. */
const QUESTION_SECONDS = 900

/** What the user confirms. */
interface Question {
  readonly sessionId: string
  readonly applicationId: string | null
  readonly target: string | null
  readonly expiresAt: string
}

export interface LogoutRequest extends RequestOrigin {
  readonly cookie: string | undefined
}

export const endSessionEndpoint = (context: Pick<OidcContext, 'services' | 'sessions' | 'pages'>) => {
  const { services, sessions, pages } = context
  const { pool, clock, vault, handle, configuration: cache, publicUrl } = services
  const end = endSession(services)
  const questions = sealedJson<Question>(vault, 'end-session')

  const leave = (target: string | null, ended: boolean): BrowserAnswer => ({
    location: target ?? `${publicUrl}/signed-out`,
    ...(ended ? { cookie: noSessionCookie(publicUrl) } : {}),
  })

  const revoke = (applicationId: string, userId: string, actor: Actor) =>
    handle(
      allGrantsDecider,
      allGrantsStream(applicationId, userId),
      { type: 'revoke_all', applicationId, userId, reason: 'sign_out' },
      actor,
    )

  /** Ends the session in an ID token. A repeat records nothing, so it cannot make the log grow. */
  const endNamed = async (
    hint: IdTokenHint,
    application: OidcApplicationConfiguration,
    here: LiveSession | null,
    request: LogoutRequest,
  ): Promise<void> => {
    const { isOpen, hasTokens } = await signOutState(pool, application.id, hint)
    const actor: Actor =
      here?.userId === hint.userId
        ? actingPerson(here, request)
        : { ...actingPerson(hint, request), credential: { type: 'id_token', id: hint.sessionId } }
    if (isOpen || hasTokens) await revoke(application.id, hint.userId, actor)
    if (isOpen) await end(hint.sessionId, 'application_logout', actor)
  }

  const ask = (
    here: LiveSession,
    application: OidcApplicationConfiguration | null,
    target: string | null,
  ): BrowserAnswer => {
    const question = questions.seal({
      sessionId: here.sessionId,
      applicationId: application?.id ?? null,
      target,
      expiresAt: clock.in(QUESTION_SECONDS),
    })
    return {
      status: 200,
      page: pages.signOut({
        ...(application === null
          ? {}
          : { application: { name: application.name, logoUrl: applicationLogoUrl(application, publicUrl) } }),
        action: '/oauth2/logout/confirm',
        fields: { question },
        target,
      }),
    }
  }

  return {
    /**
     * @param posted a form from another site arrives without the session's cookie, so it continues with a GET from our
     * origin
     */
    begin: async (
      parameters: Parameters,
      request: LogoutRequest,
      posted: boolean,
    ): Promise<BrowserAnswer> => {
      const configuration = await cache.fresh()
      const token = parameters.get('id_token_hint')
      const hint = token === undefined ? null : await openIdTokenHint(token, publicUrl, configuration)
      const clientId = clientOfRequest(parameters, hint)
      const application =
        clientId === undefined ? null : (configuration.applicationByClientId.get(clientId) ?? null)
      const parsed = parseEndSessionRequest(
        parameters,
        hint,
        application === null ? null : { type: application.type, ...application.settings },
      )
      if ('problem' in parsed)
        return {
          status: 400,
          page: pages.error({
            status: 400,
            code: parsed.problem.code,
            requestId: request.requestId,
            detail: parsed.problem.description,
            ...(application === null ? {} : { applicationName: application.name }),
          }),
        }
      const { target } = parsed.request
      const here = await sessions.fromCookie(request.cookie)
      if (here === null && hint === null && posted) {
        const query = new URLSearchParams()
        for (const name of ['client_id', 'post_logout_redirect_uri', 'state']) {
          const value = parameters.get(name)
          if (value !== undefined) query.set(name, value)
        }
        return { location: `${publicUrl}/oauth2/logout?${query.toString()}` }
      }
      if (hint !== null && application !== null) await endNamed(hint, application, here, request)
      return here !== null && mustAsk(parsed.request, here)
        ? ask(here, application, target)
        : leave(target, here !== null && here.sessionId === hint?.sessionId)
    },

    /** Handles the confirmation. The form must come from our own page. */
    confirm: async (parameters: Parameters | null, request: LogoutRequest): Promise<BrowserAnswer> => {
      const question = questions.open(parameters?.get('question') ?? '')
      const here = await sessions.fromCookie(request.cookie)
      if (question === null || question.expiresAt <= clock.now())
        return { location: `${publicUrl}/oauth2/logout` }
      if (here === null) return leave(question.target, false)
      if (here.sessionId !== question.sessionId) return { location: `${publicUrl}/oauth2/logout` }
      const { applicationId, target } = question
      const actor = actingPerson(here, request)
      if (applicationId !== null) await revoke(applicationId, here.userId, actor)
      await end(here.sessionId, applicationId === null ? 'sign_out' : 'application_logout', actor)
      return leave(target, true)
    },
  }
}
