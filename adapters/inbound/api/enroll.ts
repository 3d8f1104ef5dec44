import { Type } from 'typebox'
import type { OwnProfile } from '../../../domain/user/events.ts'
import { isPlaceholderAddress } from '../../../domain/user/placeholder.ts'
import type { Services } from '../../application/services/services.ts'
import { userCommands, type UserServices } from '../../application/commands/users.ts'
import { fields, route, type Route } from '../http/route.ts'
import { signInCompletion } from '../sign-in/complete-sign-in.ts'
import { enrollmentAttempts } from '../sign-in/enrollment-attempts.ts'
import { enrollmentBehind, enrollmentMethodsOf, introduced } from '../../application/sign-in/enrollment.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import { passkeyRegistration } from '../../application/sign-in/webauthn/registration.ts'
import { methodsOf } from '../../../read-models/queries/account.ts'
import { actorOf } from '../http/actor.ts'
import {
  Ceremony,
  DEFAULT_PASSKEY_NAME,
  EnrollmentBody,
  EnrollmentKind,
  LinkToken,
  SignedIn,
} from './auth-schemas.ts'

const tag = 'Sign-in'
const bucket = 'sign-in'
const anyone = { credentials: ['none'] } as const
export const linkParams = fields({ token: LinkToken })

const Enrollment = Type.Object(
  {
    kind: Type.Enum(['invite', 'reset']),
    email: Type.String(),
    name: Type.String(),
    asksProfile: Type.Boolean({
      description: 'true for the first administrator: name and email address must be sent too',
    }),
    organization: Type.String(),
    allowedMethods: Type.Array(Type.String()),
    expiresAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Enrollment' },
)

/** A ceremony that started under a link can be completed only under that link. */
export const placeOfLink = (token: string): string => `link|${hashSecret(token)}`

/** The profile for the enrolment command. */
export const saying = (profile: OwnProfile | undefined): { readonly profile?: OwnProfile } =>
  profile === undefined ? {} : { profile }

/** Routes for an enrolment link and a first passkey, for users without a sign-in method. */
export const enrollRoutes = (
  services: UserServices & Pick<Services, 'locate' | 'development'>,
): readonly Route[] => {
  const { pool, configuration } = services
  const passkeys = passkeyRegistration(services)
  const users = userCommands(services)
  const { complete } = signInCompletion(services)
  const attempt = enrollmentAttempts(services)

  return [
    route({
      method: 'GET',
      path: '/auth/enroll/{token}',
      tag,
      summary: 'Get the user of an enrolment link',
      access: anyone,
      bucket,
      params: linkParams,
      result: Enrollment,
      status: 200,
      errors: ['ERR_LINK_EXPIRED', 'ERR_ACCOUNT_SUSPENDED', 'ERR_PROVIDER_REQUIRED'],
      handle: async (request) => {
        const { userId, kind, email, name, expiresAt } = await enrollmentBehind(
          services,
          request.params.token,
        )
        const allowedMethods = await enrollmentMethodsOf(services, userId)
        const organization = configuration.now().settings.organizationName
        const asksProfile = isPlaceholderAddress(email)
        return { body: { kind, email, name, asksProfile, organization, allowedMethods, expiresAt } }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/enroll/{token}/passkey/options',
      tag,
      summary: 'Start creation of a first passkey or security key',
      access: anyone,
      bucket,
      params: linkParams,
      body: EnrollmentKind,
      result: Ceremony,
      status: 200,
      errors: ['ERR_LINK_EXPIRED', 'ERR_ACCOUNT_SUSPENDED', 'ERR_PROVIDER_REQUIRED', 'ERR_FORBIDDEN'],
      handle: async (request) => {
        const { token } = request.params
        const link = await enrollmentBehind(services, token)
        const existing = await methodsOf(pool, link.userId)
        const { kind, profile } = request.body
        return { body: await passkeys.begin({ ...link, ...profile }, placeOfLink(token), existing, kind) }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/enroll/{token}/passkey',
      tag,
      summary: 'Create a first passkey and sign in',
      description:
        'Redeems the link and signs the user in with the new passkey. The first administrator also sends a name and an email address.',
      access: { credentials: ['none', 'session'] },
      bucket,
      params: linkParams,
      body: EnrollmentBody,
      result: SignedIn,
      status: 200,
      errors: [
        'ERR_LINK_EXPIRED',
        'ERR_CEREMONY_EXPIRED',
        'ERR_REGISTRATION_FAILED',
        'ERR_ACCOUNT_SUSPENDED',
        'ERR_BLOCKED_BY_POLICY',
        'ERR_PROVIDER_REQUIRED',
        'ERR_STRONGER_AUTH_REQUIRED',
        'ERR_PASSKEY_REJECTED',
        'ERR_FORBIDDEN',
        'ERR_CONFLICT',
      ],
      audit: ['user.enroll', 'method.add'],
      handle: async (request) => {
        const { params: pathParams, body } = request
        const { token } = pathParams
        const { profile, ...registration } = body
        const { userId, name, email, method, proofId, userVerified } = await attempt(
          request,
          token,
          async (link) => {
            const person = introduced(link, profile)
            const made = await passkeys.finish(
              { ...registration, name: registration.name ?? DEFAULT_PASSKEY_NAME },
              placeOfLink(token),
              link.userId,
            )
            const actor = { ...actorOf(request), actorId: link.userId, actorType: 'user' as const }
            await users.enroll({ userId: link.userId, token, method: made.method, ...saying(profile) }, actor)
            return { ...person, ...made }
          },
        )
        return complete(
          request,
          {
            proofId,
            userId,
            name,
            email,
            status: 'active',
            methodId: method.methodId,
            method: 'enrollment_link',
            methods: ['enrollment_link', method.methodType],
            userVerified,
          },
          null,
          'ERR_PASSKEY_REJECTED',
        )
      },
    }),
  ]
}
