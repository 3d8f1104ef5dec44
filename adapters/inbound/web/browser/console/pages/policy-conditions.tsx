/** The conditions of a policy, each by itself. */
import { isOwnApplication } from '../../../../../../domain/policy/events.ts'
import { Facts, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { policyFacts, type PolicyFact } from '../policy-facts.ts'
import { NamedLink } from '../record-links.tsx'
import type { PolicyRecord } from '../records.ts'
import { usePolicyChoices } from './policy-choice-texts.ts'
import { usePolicyTexts } from './policy-texts.ts'

const FactValue = ({ value }: { readonly value: PolicyFact[1] }) => {
  const text = usePolicyTexts()
  if (typeof value === 'string') return value
  return (
    <ul>
      {value.ids.map((id) => (
        <li key={id}>{isOwnApplication(id) ? text.own[id] : <NamedLink kind={value.kind} id={id} />}</li>
      ))}
    </ul>
  )
}

export const PolicyConditions = ({ policy }: { readonly policy: PolicyRecord }) => {
  const text = usePolicyTexts()
  const choices = usePolicyChoices()
  return (
    <Section title={text.overview}>
      <Facts
        facts={[
          ...policyFacts(policy, text, choices)
            .filter(([, value]) => (typeof value === 'string' ? value !== '' : value.ids.length > 0))
            .map(([label, value]) => [label, <FactValue key={label} value={value} />] as const),
          [text.changed, <Time key="changed" value={policy.updatedAt} />],
          [text.version, policy.version],
        ]}
      />
    </Section>
  )
}
