import { accept, type Decider, type Decision } from '../decider.ts'
import type { DetectedRisk, RiskEvent } from './events.ts'

export interface RiskState {
  readonly status: 'none' | 'at_risk'
}

export interface RiskCommand {
  readonly type: 'detect'
  readonly risk: DetectedRisk
}

const initial: RiskState = { status: 'none' }

const evolve = (): RiskState => ({ status: 'at_risk' })

/** Idempotent: a retry after an interruption changes nothing. */
const decide = ({ risk }: RiskCommand, { status }: RiskState): Decision<RiskEvent> =>
  status === 'none' ? accept({ type: 'risk_event.detected', data: risk }) : accept()

export const riskDecider: Decider<RiskState, RiskCommand, RiskEvent> = { initial, evolve, decide }

export const riskStream = (riskEventId: string): string => `risk_event-${riskEventId}`
