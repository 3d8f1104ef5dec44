import { Type } from 'typebox'
import type { MethodType } from '../../../domain/method-settings/events.ts'
import { applicationLogoUrl } from '../../application/services/logo-path.ts'
import type { Services } from '../../application/services/services.ts'
import { sessionCommands } from '../../application/commands/sessions.ts'
import { CONTROLS } from '../http/character-classes.ts'
import { fields, route, type Route } from '../http/route.ts'
import { signInCompletion } from '../sign-in/complete-sign-in.ts'
import { noSessionCookie } from '../sign-in/cookie.ts'
import { magicLinksOffered } from '../../application/sign-in/magic-links.ts'
import { stillWaiting, waitingRequests } from '../sign-in/waiting-request.ts'
import { clonedCredential } from '../../application/sign-in/risk-assessment.ts'
import { PasskeyRejected, passkeyAuthentication } from '../../application/sign-in/webauthn/authentication.ts'
import { actorOf } from '../http/actor.ts'
import { AuthenticationBody, AuthRequestId, Ceremony, SignedIn } from './auth-schemas.ts'
import { authProviderRoutes } from './auth-providers.ts'
import { codeRoutes } from './auth-code.ts'
import { enrollAuthenticatorRoutes } from './enroll-authenticator.ts'
import { enrollRoutes } from './enroll.ts'
import { magicLinkRoutes } from './magic-link.ts'

/** The enabled sign-in methods. */
const offered: readonly MethodType[] = [
  'passkey',
  'security_key',
  'authenticator_code',
  'recovery_codes',
  'magic_link',
]

const tag = 'Sign-in'
const bucket = 'sign-in'
const anyone = { credentials: ['none'] } as const
/** A second sign-in in the same browser ends the earlier session. */
const anyoneOrSession = { credentials: ['none', 'session'] } as const

const WaitingRequest = Type.Object(
  {
    applicationName: Type.String(),
    logoUrl: Type.Optional(Type.String()),
    prompt: Type.Array(Type.String()),
    loginHint: Type.Optional(Type.String()),
    requiredStrength: Type.Enum(['none', 'otp', 'phishing_resistant'], {
      description:
        'what the application prefers; a weaker sign-in is accepted if the user has no stronger method',
    }),
    expiresAt: Type.String({ format: 'date-time' }),
  },
  { title: 'WaitingRequest' },
)

/** Signing in and out, and enrolment: open to anyone, guarded by the same-origin rule. */
export const authRoutes = (services: Services): readonly Route[] => {
  const { publicUrl, configuration } = services
  const passkeys = passkeyAuthentication(services)
  const sessions = sessionCommands(services)
  const { complete, failed } = signInCompletion(services)
  const waiting = waitingRequests(services)

  return [
    ...enrollRoutes(services),
    ...enrollAuthenticatorRoutes(services),
    ...codeRoutes(services),
    ...magicLinkRoutes(services),
    ...authProviderRoutes(services),
    route({
      method: 'GET',
      path: '/auth/methods',
      tag,
      summary: 'List sign-in methods',
      access: anyone,
      result: Type.Object({ methods: Type.Array(Type.String()), magicLinkAvailable: Type.Boolean() }),
      status: 200,
      errors: [],
      handle: async () => {
        const { methods } = await configuration.fresh()
        const magicLinkAvailable = await magicLinksOffered(services)
        return {
          body: {
            methods: offered.filter(
              (type) => methods[type].enabled && (type !== 'magic_link' || magicLinkAvailable),
            ),
            magicLinkAvailable,
          },
        }
      },
    }),
    route({
      method: 'GET',
      path: '/auth/requests/{id}',
      tag,
      summary: 'Get the application of a pending sign-in',
      access: anyone,
      params: fields({ id: AuthRequestId }),
      result: WaitingRequest,
      status: 200,
      errors: ['ERR_AUTH_REQUEST_EXPIRED'],
      handle: async ({ params }) => {
        const { application, prompts, loginHint, requiredStrength, expiresAt } = stillWaiting(
          await waiting(params.id),
        )
        const logoUrl = applicationLogoUrl(application, publicUrl)
        return {
          body: {
            applicationName: application.name,
            ...(logoUrl === undefined ? {} : { logoUrl }),
            prompt: prompts,
            ...(loginHint === null ? {} : { loginHint }),
            requiredStrength,
            expiresAt,
          },
        }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/passkey/options',
      tag,
      summary: 'Start sign-in with a passkey',
      description:
        'The response is the same for all users: the browser offers the passkeys that it has for this service.',
      access: anyone,
      bucket,
      body: fields({
        authRequestId: Type.Optional(AuthRequestId),
        email: Type.Optional(Type.String({ maxLength: 254, pattern: `^[^${CONTROLS}]*$` })),
      }),
      result: Ceremony,
      status: 200,
      errors: ['ERR_AUTH_REQUEST_EXPIRED'],
      handle: async ({ body }) => {
        if (body.authRequestId !== undefined) stillWaiting(await waiting(body.authRequestId))
        return { body: await passkeys.begin() }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/passkey/verify',
      tag,
      summary: 'Sign in with a passkey',
      access: anyoneOrSession,
      bucket,
      body: AuthenticationBody,
      result: SignedIn,
      status: 200,
      errors: [
        'ERR_AUTH_REQUEST_EXPIRED',
        'ERR_CEREMONY_EXPIRED',
        'ERR_PASSKEY_REJECTED',
        'ERR_ACCOUNT_SUSPENDED',
        'ERR_NOT_ASSIGNED',
        'ERR_BLOCKED_BY_POLICY',
        'ERR_PROVIDER_REQUIRED',
        'ERR_STRONGER_AUTH_REQUIRED',
      ],
      handle: async (request) => {
        const { body } = request
        const authRequest = body.authRequestId === undefined ? null : await waiting(body.authRequestId)
        const proven = await passkeys.finish(body).catch(async (error: unknown) => {
          if (error instanceof PasskeyRejected) {
            const { claimed, clonedMethodId } = error
            const { userId, email, methodType } = claimed ?? {}
            await failed(
              request,
              {
                userId: userId ?? null,
                email: email ?? null,
                method: methodType ?? 'passkey',
                reason: claimed === null ? 'unknown_user' : 'bad_passkey',
                risks: clonedMethodId === null ? [] : [clonedCredential(clonedMethodId)],
              },
              authRequest,
            )
          }
          throw error
        })
        const { methodType: method, userId, email } = proven
        if (body.authRequestId !== undefined && authRequest === null) {
          await failed(request, { userId, email, method, reason: 'request_expired' }, null)
          stillWaiting(authRequest)
        }
        return complete(
          request,
          { ...proven, method, methods: [method] },
          authRequest,
          'ERR_PASSKEY_REJECTED',
        )
      },
    }),
    route({
      method: 'POST',
      path: '/auth/sign-out',
      tag,
      summary: 'Sign out on this browser',
      access: anyoneOrSession,
      status: 204,
      errors: [],
      audit: ['session.end'],
      handle: async (request) => {
        const { caller } = request
        if (caller.kind === 'session') await sessions.end(caller.sessionId, 'sign_out', actorOf(request))
        return { headers: { 'Set-Cookie': noSessionCookie(publicUrl) } }
      },
    }),
  ]
}
