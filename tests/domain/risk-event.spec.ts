import { expect } from 'chai'
import { isRemediable, riskDecider, type CompromiseGuard } from '../../domain/risk/decider.ts'
import type { DetectedRisk, RiskEvent, RiskType } from '../../domain/risk/events.ts'
import { id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const riskEventId = id('riskEvent')
const userId = id('user')
const signInId = id('signInEvent')

const detected = (risk: Partial<DetectedRisk> = {}): RiskEvent => ({
  type: 'risk_event.detected',
  data: {
    ...{ riskEventId, userId, signInId, sessionId: null, ip: '192.0.2.1', location: 'Japan' },
    ...{ riskType: 'new_country', level: 'medium', detail: { country: 'Japan' } },
    ...risk,
  } as DetectedRisk,
})
const remediated: RiskEvent = { type: 'risk_event.remediated', data: { riskEventId, userId, signInId } }
const dismissed: RiskEvent = { type: 'risk_event.dismissed', data: { riskEventId, userId } }
const safe: RiskEvent = { type: 'risk_event.confirmed_safe', data: { riskEventId, userId } }
const compromised: RiskEvent = {
  type: 'risk_event.confirmed_compromised',
  data: { riskEventId, userId, note: 'She called' },
}
const ofAll = detected({
  userId: null,
  riskType: 'code_guessing',
  detail: { wrongCodes: 100, addresses: 20, networks: 3, windowSeconds: 600 },
})
const guard: CompromiseGuard = {
  ...{ by: ['security_admin'], roles: [], isActive: true, otherActiveGlobalAdmins: 1 },
}

const remediate = { type: 'remediate', riskEventId, signInId } as const
const dismiss = { type: 'resolve', riskEventId, verdict: 'dismissed' } as const
const confirmSafe = { type: 'resolve', riskEventId, verdict: 'confirmed_safe' } as const
const confirm = (more: Partial<CompromiseGuard> = {}) =>
  ({ type: 'confirm_compromised', riskEventId, guard: { ...guard, ...more }, note: 'She called' }) as const
const known = {
  ...confirm(),
  risk: detected({ riskType: 'admin_confirmed', level: 'high', detail: {} }).data as DetectedRisk,
}
const lastAdmin = { by: ['global_admin'], roles: ['global_admin'], otherActiveGlobalAdmins: 0 } as const

describe('A risk event', () => {
  const after = (...past: readonly RiskEvent[]) => given(riskDecider, ...past)

  it('SGN-07 is detected once, however often its cause is processed', () => {
    const risk = detected().data as DetectedRisk
    after().when({ type: 'detect', risk }).then(detected())
    after(detected()).when({ type: 'detect', risk }).changesNothing()
    after(detected(), dismissed).when({ type: 'detect', risk }).changesNothing()
  })

  it('SGN-07 ends with a passkey sign-in, unless it needs an administrator', () => {
    after(detected()).when(remediate).then(remediated)
    after(detected({ riskType: 'user_reported', detail: {} }))
      .when(remediate)
      .changesNothing()
    after(detected({ riskType: 'credential_cloned', detail: { methodId: 'mth' } }))
      .when(remediate)
      .changesNothing()
    for (const later of [remediated, dismissed, safe, compromised])
      after(detected(), later).when(remediate).changesNothing()
    const types: readonly RiskType[] = ['impossible_travel', 'new_device', 'token_reuse', 'code_lockout']
    expect(types.every(isRemediable)).to.equal(true)
  })

  it('SGN-07 is dismissed, confirmed as safe or as an attack, and the verdict can change', () => {
    after(detected()).when(dismiss).then(dismissed)
    after(detected(), dismissed).when(dismiss).changesNothing()
    after(detected(), remediated).when(confirmSafe).then(safe)
    after(detected(), dismissed).when(confirm()).then(compromised)
    after(detected(), compromised).when(confirm()).changesNothing()
    after(detected(), compromised).when(confirmSafe).then(safe)
    for (const command of [remediate, dismiss, confirm()]) after().when(command).refuses('ERR_NOT_FOUND')
  })

  it('SGN-07 is an attack on one user, who is not the last administrator', () => {
    after(ofAll).when(confirm()).refuses('ERR_CONFLICT')
    after(ofAll)
      .when(dismiss)
      .then({ type: 'risk_event.dismissed', data: { riskEventId, userId: null } })
    after(detected()).when(confirm(lastAdmin)).refuses('ERR_LAST_ADMIN')
    after(detected())
      .when(confirm({ ...lastAdmin, isActive: false }))
      .then(compromised)
    after(detected())
      .when(confirm({ roles: ['helpdesk_admin'] }))
      .refuses('ERR_FORBIDDEN')
    after(detected())
      .when(confirm({ roles: ['helpdesk_admin'], by: ['global_admin'] }))
      .then(compromised)
  })

  it('SGN-07 is detected and confirmed at once for a compromise that an administrator knows of', () => {
    after().when(known).then({ type: 'risk_event.detected', data: known.risk }, compromised)
    after()
      .when({ ...known, guard: { ...guard, ...lastAdmin } })
      .refuses('ERR_LAST_ADMIN')
  })
})
