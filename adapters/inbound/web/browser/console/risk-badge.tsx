import { Badge, type Tone } from './kit/badge.tsx'
import type { RiskEventRecord } from './records.ts'
import { riskLevelTexts, riskStateTexts } from './risk-texts.ts'
import { useTexts } from './text.tsx'

const levelTones: Readonly<Record<RiskEventRecord['level'], Tone>> = {
  low: 'neutral',
  medium: 'warn',
  high: 'bad',
}

/** @param label where the level would not be understood by itself */
export const RiskLevelBadge = ({
  level,
  label,
}: {
  readonly level: RiskEventRecord['level']
  readonly label?: string
}) => {
  const text = useTexts(riskLevelTexts)
  return (
    <Badge tone={levelTones[level]}>{label === undefined ? text[level] : `${label}: ${text[level]}`}</Badge>
  )
}

const stateTones: Readonly<Record<RiskEventRecord['state'], Tone>> = {
  at_risk: 'warn',
  remediated: 'good',
  dismissed: 'neutral',
  confirmed_safe: 'good',
  confirmed_compromised: 'bad',
}

export const RiskStateBadge = ({ state }: { readonly state: RiskEventRecord['state'] }) => {
  const text = useTexts(riskStateTexts)
  return <Badge tone={stateTones[state]}>{text[state]}</Badge>
}
