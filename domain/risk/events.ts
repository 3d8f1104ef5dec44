export type RiskLevel = 'low' | 'medium' | 'high'

/** Wrong codes from unknown devices across users: an attacker tries a few codes for each of many users. */
export interface CodeGuessing {
  readonly riskType: 'code_guessing'
  /** Wrong codes within the window. */
  readonly wrongCodes: number
  /** Number of addresses that they were entered for, existing or not. */
  readonly addresses: number
  /** Number of networks that they came from. */
  readonly networks: number
  readonly windowSeconds: number
}

/** A possible attack. */
export type DetectedRisk = {
  /** `rsk_` id */
  readonly riskEventId: string
  readonly level: RiskLevel
  /** The user at risk; null if all users are. */
  readonly userId: string | null
} & CodeGuessing

export interface RiskEvent {
  readonly type: 'risk_event.detected'
  readonly data: DetectedRisk
}
