import { Type } from 'typebox'
import type { Services } from '../../application/services/services.ts'
import { fields, route, type Route } from '../http/route.ts'
import { codeSignIn } from '../sign-in/code-sign-in.ts'
import { signInCompletion } from '../sign-in/complete-sign-in.ts'
import { stillWaiting, waitingRequests } from '../sign-in/waiting-request.ts'
import { AuthRequestId, SignedIn, TypedAddress, TypedCode } from './auth-schemas.ts'

/** Routes for signing in with a code of an authenticator app or a recovery code. */
export const codeRoutes = (services: Services): readonly Route[] => {
  const signIn = codeSignIn(services)
  const { failed } = signInCompletion(services)
  const waiting = waitingRequests(services)

  return [
    route({
      method: 'POST',
      path: '/auth/code',
      tag: 'Sign-in',
      summary: 'Sign in with an authenticator or recovery code',
      description:
        'Six digits are an authenticator code, ten characters a recovery code. Each code works once. After several wrong codes all codes are rejected for a while. Unknown email addresses get the same responses.',
      access: { credentials: ['none', 'session'] },
      bucket: 'sign-in',
      emailBucket: 'sign-in-email',
      body: fields({
        email: TypedAddress,
        code: TypedCode,
        authRequestId: Type.Optional(AuthRequestId),
      }),
      result: SignedIn,
      status: 200,
      errors: [
        'ERR_AUTH_REQUEST_EXPIRED',
        'ERR_CEREMONY_EXPIRED',
        'ERR_CODE_MISMATCH',
        'ERR_TOO_MANY_ATTEMPTS',
        'ERR_ACCOUNT_SUSPENDED',
        'ERR_NOT_ASSIGNED',
        'ERR_BLOCKED_BY_POLICY',
        'ERR_PROVIDER_REQUIRED',
        'ERR_STRONGER_AUTH_REQUIRED',
        'ERR_CONFLICT',
      ],
      handle: async (request) => {
        const { email, code, authRequestId } = request.body
        const authRequest = authRequestId === undefined ? null : await waiting(authRequestId)
        if (authRequestId !== undefined && authRequest === null) {
          // The address is not looked up: the request has failed, whoever the user is.
          const attempt = {
            userId: null,
            email,
            method: 'authenticator_code',
            reason: 'request_expired',
          } as const
          await failed(request, attempt, null)
          stillWaiting(authRequest)
        }
        return signIn(request, { email, code }, authRequest)
      },
    }),
  ]
}
