import { Type } from 'typebox'
import type { RiskEventState } from '../../../domain/risk/decider.ts'
import type { RiskLevel, RiskType } from '../../../domain/risk/events.ts'
import { idOf } from '../http/route.ts'
import { nullable, prose, Time, Version } from '../http/schemas.ts'

const types = [
  ...['impossible_travel', 'new_country', 'new_device', 'anonymizer_ip', 'blocked_zone_attempt'],
  ...['repeated_failures', 'code_guessing', 'code_lockout', 'credential_cloned', 'token_reuse'],
  ...['user_reported', 'admin_confirmed', 'break_glass_used'],
] as const satisfies RiskType[]

const states = [
  ...['at_risk', 'remediated', 'dismissed', 'confirmed_safe', 'confirmed_compromised'],
] as const satisfies RiskEventState[]

export const RiskTypes = Type.Enum([...types])
export const RiskStates = Type.Enum([...states], {
  description:
    'remediated: the user signed in with a passkey since; confirmed_compromised: sessions and tokens have ended, and the user cannot sign in until their methods are reset',
})
export const RiskLevels = Type.Enum(['low', 'medium', 'high'] as const satisfies RiskLevel[])

/** The highest level of a user's open risk events. */
export const UserRisk = Type.Enum(['none', 'low', 'medium', 'high'], {
  description: 'The highest level of the open risk events of the last 14 days',
})

export const RiskEvent = Type.Object(
  {
    id: idOf('riskEvent'),
    userId: nullable(idOf('user', { description: 'null if all users are at risk' })),
    userName: Type.String(),
    type: RiskTypes,
    level: RiskLevels,
    state: RiskStates,
    signInEventId: nullable(idOf('signInEvent')),
    sessionId: nullable(idOf('session')),
    ip: nullable(Type.String()),
    location: nullable(Type.String()),
    detail: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      description: 'The facts that made it a risk, which depend on the type',
      examples: [{ from: 'Germany', to: 'Japan', leastKm: 7000, minutes: 30 }],
    }),
    detectedAt: Time,
    resolvedAt: nullable(Time),
    resolvedBy: nullable(Type.String({ description: 'The administrator; null for a passkey sign-in' })),
    resolvedBySignInEventId: nullable(
      idOf('signInEvent', { description: 'The sign-in with a passkey that ended the risk' }),
    ),
    resolvedNote: nullable(Type.String()),
    version: Version,
  },
  { title: 'RiskEvent' },
)

export const noteInput = {
  note: Type.Optional(prose(500)),
}
