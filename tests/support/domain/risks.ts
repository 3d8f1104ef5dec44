import fc, { type Arbitrary } from 'fast-check'
import type { RiskCommand } from '../../../domain/risk/decider.ts'
import type { RiskOf, RiskType } from '../../../domain/risk/events.ts'
import { id } from '../fixed.ts'
import { command, maybe, text } from './commands.ts'

const anyRisk: Arbitrary<RiskOf<RiskType>> = fc.constantFrom(
  { riskType: 'new_country', level: 'medium', detail: { country: 'Japan' } },
  { riskType: 'new_device', level: 'low', detail: {} },
  { riskType: 'user_reported', level: 'high', detail: { note: 'not me' } },
)

/** Commands on one risk event of a user. */
export const riskCommands = (riskEventId: string, userId: string): Arbitrary<RiskCommand> => {
  const detected = anyRisk.map((risk) => ({
    ...risk,
    ...{ riskEventId, userId, signInId: null, sessionId: null, ip: '192.0.2.1', location: 'Japan' },
  }))
  const riskEvent = fc.constant(riskEventId)
  const guard = fc.record({
    by: fc.constantFrom(['security_admin'], ['global_admin']),
    roles: fc.constantFrom([], ['auditor']),
    isActive: fc.boolean(),
    otherActiveGlobalAdmins: fc.nat(1),
  })
  return fc.oneof(
    command<RiskCommand>('detect', { risk: detected }),
    command<RiskCommand>('remediate', { riskEventId: riskEvent, signInId: fc.constant(id('signInEvent')) }),
    command<RiskCommand>('resolve', {
      riskEventId: riskEvent,
      verdict: fc.constantFrom('dismissed', 'confirmed_safe'),
      note: maybe(text),
    }),
    command<RiskCommand>('confirm_compromised', {
      riskEventId: riskEvent,
      guard,
      note: maybe(text),
      risk: maybe(detected),
    }),
  )
}
