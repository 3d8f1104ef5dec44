export type RiskLevel = 'low' | 'medium' | 'high'

/** Wrong codes of strangers across all people: somebody tries a few codes for each of many. */
export interface CodeGuessing {
  readonly riskType: 'code_guessing'
  /** Wrong codes within the window. */
  readonly wrongCodes: number
  /** Addresses that they were typed for, people's and nobody's alike. */
  readonly addresses: number
  /** Networks that they came from. */
  readonly networks: number
  readonly windowSeconds: number
}

/** Something that looks like an attack. */
export type DetectedRisk = {
  /** `rsk_` id. */
  readonly riskEventId: string
  readonly level: RiskLevel
  /** Whom it threatens; null where it is everybody. */
  readonly userId: string | null
} & CodeGuessing

export interface RiskEvent {
  readonly type: 'risk_event.detected'
  readonly data: DetectedRisk
}
