import type { Services } from '../../application/services/services.ts'
import { userCommands, type UserServices } from '../../application/commands/users.ts'
import { route, type Route } from '../http/route.ts'
import { methodAllowed, mustBeAllowed } from '../../application/sign-in/allowed-methods.ts'
import { signInCompletion } from '../sign-in/complete-sign-in.ts'
import { enrollmentAttempts } from '../sign-in/enrollment-attempts.ts'
import { enrollmentBehind, introduced } from '../../application/sign-in/enrollment.ts'
import { recoveryCodeMaker } from '../../application/sign-in/recovery-codes.ts'
import { authenticatorCode } from '../../application/sign-in/typed-codes.ts'
import { authenticatorSetup } from '../../application/sign-in/totp/setup.ts'
import { actorOf } from '../http/actor.ts'
import {
  AuthenticatorSetup,
  DEFAULT_AUTHENTICATOR_NAME,
  EnrollmentAuthenticatorBody,
  Labelled,
  SignedInWithCodes,
} from './auth-schemas.ts'
import { linkParams, placeOfLink, saying } from './enroll.ts'

const tag = 'Sign-in'
const bucket = 'sign-in'

/** Routes for a first authenticator app, for users without a sign-in method. */
export const enrollAuthenticatorRoutes = (
  services: UserServices & Pick<Services, 'locate' | 'development'>,
): readonly Route[] => {
  const setup = authenticatorSetup(services)
  const users = userCommands(services)
  const newRecoveryCodes = recoveryCodeMaker(services)
  const { complete } = signInCompletion(services)
  const attempt = enrollmentAttempts(services)

  return [
    route({
      method: 'POST',
      path: '/auth/enroll/{token}/authenticator',
      tag,
      summary: 'Start setup of a first authenticator app',
      access: { credentials: ['none'] },
      bucket,
      params: linkParams,
      body: Labelled,
      result: AuthenticatorSetup,
      status: 200,
      errors: ['ERR_LINK_EXPIRED', 'ERR_ACCOUNT_SUSPENDED', 'ERR_PROVIDER_REQUIRED', 'ERR_FORBIDDEN'],
      handle: async ({ params: { token }, body: { profile } }) => {
        const link = await enrollmentBehind(services, token)
        await mustBeAllowed(services, 'authenticator_code', link.userId)
        return { body: setup.begin({ ...link, ...profile }, placeOfLink(token)) }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/enroll/{token}/authenticator/verify',
      tag,
      summary: 'Set up a first authenticator app and sign in',
      description:
        'Redeems the link, signs the user in and returns recovery codes, which are shown only once. Returns no codes if recovery codes are disabled.',
      access: { credentials: ['none', 'session'] },
      bucket,
      params: linkParams,
      body: EnrollmentAuthenticatorBody,
      result: SignedInWithCodes,
      status: 200,
      errors: [
        'ERR_LINK_EXPIRED',
        'ERR_CEREMONY_EXPIRED',
        'ERR_CODE_MISMATCH',
        'ERR_ACCOUNT_SUSPENDED',
        'ERR_FORBIDDEN',
        'ERR_BLOCKED_BY_POLICY',
        'ERR_PROVIDER_REQUIRED',
        'ERR_STRONGER_AUTH_REQUIRED',
        'ERR_CONFLICT',
      ],
      audit: ['user.enroll', 'method.add', 'recovery_codes.generate'],
      handle: async (request) => {
        const { params, body } = request
        const { token } = params
        const { profile } = body
        const { userId, name, email, method, proofId, codes } = await attempt(
          request,
          token,
          async (link) => {
            const person = introduced(link, profile)
            await mustBeAllowed(services, 'authenticator_code', link.userId)
            const made = await setup.finish(
              {
                ceremonyId: body.ceremonyId,
                code: authenticatorCode(body.code),
                name: body.name ?? DEFAULT_AUTHENTICATOR_NAME,
              },
              placeOfLink(token),
            )
            const actor = { ...actorOf(request), actorId: link.userId, actorType: 'user' as const }
            const recovery = (await methodAllowed(services, 'recovery_codes', link.userId))
              ? newRecoveryCodes(link.userId, actor)
              : null
            await users.enroll(
              {
                userId: link.userId,
                token,
                method: made.method,
                ...(recovery === null ? {} : { recoveryCodes: recovery.hashes }),
                ...saying(profile),
              },
              actor,
            )
            return { ...person, ...made, codes: recovery?.codes ?? null }
          },
        )
        const reply = await complete(
          request,
          {
            proofId,
            userId,
            name,
            email,
            status: 'active',
            methodId: method.methodId,
            method: 'enrollment_link',
            methods: ['enrollment_link', 'authenticator_code'],
            userVerified: false,
          },
          null,
          'ERR_CODE_MISMATCH',
        )
        const { body: signedIn, ...rest } = reply
        return signedIn === undefined ? rest : { ...rest, body: { ...signedIn, recoveryCodes: codes ?? [] } }
      },
    }),
  ]
}
