import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { holdsAll, type Role } from '../roles.ts'
import type { DetectedRisk, RiskEvent, RiskType } from './events.ts'

export type RiskEventState =
  | 'at_risk'
  | 'remediated'
  | 'dismissed'
  | 'confirmed_safe'
  | 'confirmed_compromised'

export interface RiskState {
  readonly status: 'none' | RiskEventState
  readonly riskType: RiskType | null
  readonly userId: string | null
}

/** How an administrator resolves a risk event. */
export type RiskVerdict = Extract<RiskEventState, 'dismissed' | 'confirmed_safe' | 'confirmed_compromised'>

/** The user whose account is said to be compromised, and who says so. */
export interface CompromiseGuard {
  readonly by: readonly Role[]
  /** Roles of the user */
  readonly roles: readonly Role[]
  readonly isActive: boolean
  /** Active global administrators besides the user */
  readonly otherActiveGlobalAdmins: number
}

export type RiskCommand =
  | { readonly type: 'detect'; readonly risk: DetectedRisk }
  | { readonly type: 'remediate'; readonly riskEventId: string; readonly signInId: string }
  | {
      readonly type: 'resolve'
      readonly riskEventId: string
      readonly verdict: Exclude<RiskVerdict, 'confirmed_compromised'>
      readonly note?: string
    }
  | {
      readonly type: 'confirm_compromised'
      readonly riskEventId: string
      readonly guard: CompromiseGuard
      readonly note?: string
      /** Detected by the same command, if an administrator knows of the compromise without a risk event */
      readonly risk?: DetectedRisk
    }

const initial: RiskState = { status: 'none', riskType: null, userId: null }

const after: Readonly<Record<Exclude<RiskEvent['type'], 'risk_event.detected'>, RiskEventState>> = {
  'risk_event.remediated': 'remediated',
  'risk_event.dismissed': 'dismissed',
  'risk_event.confirmed_safe': 'confirmed_safe',
  'risk_event.confirmed_compromised': 'confirmed_compromised',
}

const evolve = (state: RiskState, event: RiskEvent): RiskState =>
  event.type === 'risk_event.detected'
    ? { status: 'at_risk', riskType: event.data.riskType, userId: event.data.userId }
    : { ...state, status: after[event.type] }

/** Risks that a passkey does not answer: of the passkey itself, or because somebody says so. */
const needsAdministrator: ReadonlySet<RiskType> = new Set([
  'code_guessing',
  'credential_cloned',
  'user_reported',
  'admin_confirmed',
  'break_glass_used',
])

/** Whether a sign-in with a passkey ends a risk of this type. */
export const isRemediable = (type: RiskType): boolean => !needsAdministrator.has(type)

const PRIVILEGED = 'Only a global administrator can act on an account that has a role.'

const confirmCompromised = (
  { riskEventId, guard, note, risk }: Extract<RiskCommand, { type: 'confirm_compromised' }>,
  state: RiskState,
): Decision<RiskEvent> => {
  const { status } = state
  const detected = status === 'none' && risk !== undefined
  const userId = detected ? risk.userId : state.userId
  const { by, roles, isActive, otherActiveGlobalAdmins } = guard
  if (userId === null)
    return refuse('ERR_CONFLICT', 'This risk concerns all users. Only the risk of one user can be confirmed.')
  if (roles.length > 0 && !holdsAll(by, ['global_admin'])) return refuse('ERR_FORBIDDEN', PRIVILEGED)
  if (status === 'confirmed_compromised') return accept()
  if (isActive && roles.includes('global_admin') && otherActiveGlobalAdmins === 0)
    return refuse('ERR_LAST_ADMIN')
  return accept(...(detected ? [{ type: 'risk_event.detected', data: risk } as const] : []), {
    type: 'risk_event.confirmed_compromised',
    data: { riskEventId, userId, ...(note === undefined ? {} : { note }) },
  })
}

const decide = (command: RiskCommand, state: RiskState): Decision<RiskEvent> => {
  const { status, userId, riskType } = state
  if (command.type === 'detect')
    // A retry after an interruption changes nothing.
    return status === 'none' ? accept({ type: 'risk_event.detected', data: command.risk }) : accept()
  if (command.type === 'confirm_compromised' && command.risk !== undefined)
    return confirmCompromised(command, state)
  if (status === 'none' || riskType === null) return refuse('ERR_NOT_FOUND')
  const { riskEventId } = command
  switch (command.type) {
    case 'remediate':
      return status === 'at_risk' && userId !== null && isRemediable(riskType)
        ? accept({
            type: 'risk_event.remediated',
            data: { riskEventId, userId, signInId: command.signInId },
          })
        : accept()
    case 'resolve': {
      const { verdict, note } = command
      if (status === verdict) return accept()
      const data = { riskEventId, userId, ...(note === undefined ? {} : { note }) }
      return accept({ type: `risk_event.${verdict}`, data })
    }
    case 'confirm_compromised':
      return confirmCompromised(command, state)
  }
}

export const riskDecider: Decider<RiskState, RiskCommand, RiskEvent> = { initial, evolve, decide }

export const riskStream = (riskEventId: string): string => `risk_event-${riskEventId}`
