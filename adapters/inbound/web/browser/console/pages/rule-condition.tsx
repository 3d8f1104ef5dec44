/** One condition of a rule, as fields. */
import { ruleAttributes, ruleOperators } from '../../../../../../domain/group/rule.ts'
import { Button } from '../kit/button.tsx'
import { FieldGroup, Select, TextArea, TextField } from '../kit/field.tsx'
import type { GroupRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { linesOf } from '../kit/lines.ts'
import { groupRuleTexts } from './group-rule-texts.ts'
import { ruleTexts } from './group-texts.ts'

type Condition = NonNullable<GroupRecord['rule']>['conditions'][number]
type Operator = (typeof ruleOperators)[number]

/** What is typed, which stays when the operator changes */
export interface Draft {
  readonly key: string
  /** `custom` for one of the organization's own attributes */
  readonly attribute: string
  readonly customKey: string
  readonly operator: Operator
  /** One value per line for the operator `in` */
  readonly value: string
}

const CUSTOM = 'custom'
const CUSTOM_PREFIX = `${CUSTOM}.`

export const emptyCondition = (): Draft => ({
  key: crypto.randomUUID(),
  attribute: ruleAttributes[0],
  customKey: '',
  operator: 'eq',
  value: '',
})

export const toInput = ({ attribute, operator, value }: Condition): Draft => {
  const isCustom = attribute.startsWith(CUSTOM_PREFIX)
  return {
    key: crypto.randomUUID(),
    attribute: isCustom ? CUSTOM : attribute,
    customKey: isCustom ? attribute.slice(CUSTOM_PREFIX.length) : '',
    operator,
    value: [value ?? []].flat().join('\n'),
  }
}

export const toCondition = ({ attribute, customKey, operator, value }: Draft): Condition => ({
  attribute: attribute === CUSTOM ? `${CUSTOM_PREFIX}${customKey.trim()}` : attribute,
  operator,
  ...(operator === 'present' ? {} : { value: operator === 'in' ? [...linesOf(value)] : value.trim() }),
})

export const RuleCondition = ({
  draft,
  number,
  error,
  onChange,
  onRemove,
}: {
  readonly draft: Draft
  readonly number: number
  readonly error: string | null
  readonly onChange: (draft: Draft) => void
  readonly onRemove: (() => void) | undefined
}) => {
  const text = useTexts(groupRuleTexts)
  const words = useTexts(ruleTexts)
  const valueProps = {
    name: `value-${String(number)}`,
    value: draft.value,
    onChange: (value: string) => onChange({ ...draft, value }),
    error,
  }
  return (
    <FieldGroup label={text.condition(number)}>
      <Select
        name={`attribute-${String(number)}`}
        label={text.attribute}
        value={draft.attribute}
        options={[
          ...ruleAttributes.map((value) => ({ value, label: words[value] })),
          { value: CUSTOM, label: text.custom },
        ]}
        onChange={(attribute) => onChange({ ...draft, attribute })}
        error={draft.operator === 'present' ? error : null}
      />
      {draft.attribute === CUSTOM && (
        <TextField
          name={`custom-${String(number)}`}
          label={text.customKey}
          value={draft.customKey}
          onChange={(customKey) => onChange({ ...draft, customKey })}
        />
      )}
      <Select
        name={`operator-${String(number)}`}
        label={text.operator}
        value={draft.operator}
        options={ruleOperators.map((value) => ({ value, label: words[value] }))}
        onChange={(value) =>
          onChange({ ...draft, operator: ruleOperators.find((known) => known === value) ?? draft.operator })
        }
      />
      {draft.operator === 'in' && <TextArea label={text.values} {...valueProps} />}
      {draft.operator !== 'in' && draft.operator !== 'present' && (
        <TextField label={text.value} {...valueProps} />
      )}
      {onRemove !== undefined && (
        <Button small look="quiet" onClick={onRemove}>
          {text.removeCondition}
          <span className="visually-hidden"> {number}</span>
        </Button>
      )}
    </FieldGroup>
  )
}
