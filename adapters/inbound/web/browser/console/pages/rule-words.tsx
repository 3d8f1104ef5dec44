/** The conditions of a rule in words. */
import type { GroupRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { ruleTexts } from './group-texts.ts'

type Rule = NonNullable<GroupRecord['rule']>

export const RuleWords = ({
  rule: { match, conditions },
  intro,
}: {
  readonly rule: Rule
  /** Says what follows if all, or any, of the conditions are true */
  readonly intro: Readonly<Record<Rule['match'], string>>
}) => {
  const text = useTexts(ruleTexts)
  const attributeName = (attribute: string): string =>
    Object.entries(text).find(([name]) => name === attribute)?.[1] ?? attribute.replace(/^custom\./, '')
  return (
    <>
      <p>{intro[match]}</p>
      <ul>
        {conditions.map(({ attribute, operator, value }) => (
          <li key={JSON.stringify([attribute, operator, value])}>
            {attributeName(attribute)} {text[operator]}{' '}
            {operator !== 'present' && <strong>{[value ?? []].flat().join(', ')}</strong>}
          </li>
        ))}
      </ul>
    </>
  )
}
