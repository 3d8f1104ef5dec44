import { Type } from 'typebox'
import type {
  SignInDecision,
  SignInEventMethod,
  SignInFailure,
  SignInInterruption,
  SignInResult,
} from '../../../domain/sign-in/events.ts'
import { SSH } from '../../../domain/policy/events.ts'
import type { MatchedPolicy } from '../../../domain/policy/evaluate.ts'
import { roleKeys } from '../../../domain/roles.ts'
import { listQuery } from '../http/cursor.ts'
import { idOf } from '../http/route.ts'
import { instantOf, nullable, Time } from '../http/schemas.ts'

const results = ['success', 'failure', 'interrupted'] as const satisfies SignInResult[]
const methods = [
  'passkey',
  'security_key',
  'authenticator_code',
  'recovery_code',
  'magic_link',
  'identity_provider',
  'enrollment_link',
  'device_code',
  'session',
] as const satisfies SignInEventMethod[]
const reasons = [
  ...['unknown_user', 'bad_passkey', 'bad_code', 'code_reused', 'too_many_attempts', 'link_expired'],
  ...['account_suspended', 'account_not_active', 'method_not_allowed', 'not_assigned', 'blocked_by_policy'],
  ...['app_disabled', 'request_expired', 'stronger_auth_required', 'reauth_required', 'cancelled'],
  ...['provider_denied', 'provider_error', 'provider_required', 'email_not_verified', 'not_linked'],
  ...['domain_not_allowed', 'link_confirmation_required'],
] as const satisfies (SignInFailure | SignInInterruption)[]

const outcomes = ['allow', 'block', 'require_strong', 'require_reauth'] as const
const risks = ['none', 'low', 'medium', 'high'] as const

/** The facts that access policies are evaluated on. */
export const PolicyFactsShown = Type.Object(
  {
    applicationId: nullable(
      Type.Union([idOf('application'), Type.Literal(SSH)], {
        description: 'null: the account pages, the console or the API; ssh: an SSH certificate',
      }),
    ),
    groupIds: Type.Array(idOf('group'), { description: 'Those that policies named' }),
    roles: Type.Array(Type.Enum([...roleKeys])),
    zoneIds: Type.Array(idOf('networkZone')),
    isBlockedZone: Type.Boolean({ description: 'one of the zones is blocked' }),
    isBreakGlass: Type.Boolean({ description: 'the break-glass account, to which no policy applies' }),
    device: Type.Enum(['registered', 'trusted', 'unregistered']),
    platform: Type.String({ examples: ['macos'] }),
    risk: Type.Enum([...risks]),
    methods: Type.Array(Type.String(), { description: 'The methods of the session' }),
    authAge: Type.Integer({ description: 'Seconds since the last sign-in of the session' }),
  },
  { title: 'PolicyFacts' },
)

/** What access policies decided. */
export const policyDecision = {
  outcome: Type.Enum([...outcomes]),
  wouldBe: Type.Enum([...outcomes], {
    description: 'The outcome if policies in report-only mode were enabled',
  }),
  matched: Type.Unsafe<readonly MatchedPolicy[]>(
    Type.Array(
      Type.Object({
        policyId: idOf('policy'),
        version: Type.Integer(),
        status: Type.Enum(['enabled', 'report_only']),
        action: Type.Enum([...outcomes]),
      }),
    ),
  ),
}

const Decision = Type.Unsafe<SignInDecision>(
  Type.Object(
    {
      ...policyDecision,
      facts: PolicyFactsShown,
      position: Type.String({ description: 'Log position of the policies' }),
    },
    { title: 'PolicyDecision' },
  ),
)

export const SignIn = Type.Object(
  {
    id: idOf('signInEvent'),
    time: Time,
    userId: nullable(idOf('user', { description: 'null for an unknown email address' })),
    email: nullable(Type.String({ description: 'As entered' })),
    appId: nullable(idOf('application', { description: 'null for the pages of the service itself' })),
    result: Type.Enum([...results]),
    method: nullable(
      Type.Enum([...methods], { description: 'session: an existing session opened an application' }),
    ),
    identityProviderId: nullable(
      idOf('identityProvider', { description: 'null unless an identity provider vouched for the user' }),
    ),
    ip: nullable(Type.String()),
    location: nullable(
      Type.String({ description: 'City, CC; only the country name if the city is unknown' }),
    ),
    device: nullable(Type.String({ examples: ['Chrome on macOS'] })),
    risk: Type.Enum([...risks]),
    reason: nullable(Type.Enum([...reasons], { description: 'null on success' })),
    deviceId: nullable(idOf('device')),
    sessionId: nullable(idOf('session')),
    amr: Type.Array(Type.String()),
    userAgent: nullable(Type.String()),
    correlationId: Type.String(),
    policyIds: Type.Array(idOf('policy'), { description: 'Access policies that matched' }),
    decision: nullable(Decision),
    riskEventIds: Type.Array(idOf('riskEvent'), { description: 'Risks of this attempt' }),
  },
  { title: 'SignIn' },
)

/** The query parameters of a list of attempts, with further filters. */
export const signInQuery = <T extends Parameters<typeof listQuery>[0]>(more: T) =>
  listQuery({
    ...more,
    appId: Type.Optional(idOf('application')),
    result: Type.Optional(Type.Enum([...results])),
    method: Type.Optional(Type.Enum([...methods])),
    ip: Type.Optional(Type.String({ minLength: 2, maxLength: 64, pattern: '^[0-9A-Fa-f:.]+$' })),
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Start time (inclusive)' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'End time (exclusive)' })),
  })

/**
 * Converts the times of a query to the format of rows.
 * @throws DomainError ERR_INVALID
 */
export const between = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  from: from === undefined ? undefined : instantOf(from, 'from'),
  to: to === undefined ? undefined : instantOf(to, 'to'),
})
