/** The questions of an access package, in its form. */
import type { FieldError } from '../kit/command-dialog.tsx'
import { Button } from '../kit/button.tsx'
import { Checkbox, Select, TextArea, TextField } from '../kit/field.tsx'
import styles from '../kit/kit.module.css'
import { linesOf } from '../kit/lines.ts'
import type { AccessPackageRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { questionTypeNames, usePackageTexts } from './access-packages-texts.ts'

type Question = AccessPackageRecord['questions'][number]

/** A question in the form. */
export interface QuestionValues {
  /** For the list of the form only */
  readonly key: string
  /** Of a question that exists; null for a new one, which gets an id from its label */
  readonly id: string | null
  readonly label: string
  readonly type: Question['type']
  /** As typed: one per line */
  readonly choices: string
  readonly required: boolean
}

const MOST_QUESTIONS = 20
const MOST_CHARACTERS = 40

export const questionValuesOf = (questions: readonly Question[]): readonly QuestionValues[] =>
  questions.map(({ id, label, type, choices = [], required }) => ({
    ...{ key: crypto.randomUUID(), id, label, type, required },
    choices: choices.join('\n'),
  }))

/** Answers are stored by the ids of their questions, so an id is readable and never changes. */
const idFor = (label: string, number: number, taken: readonly string[]): string => {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, MOST_CHARACTERS)
  return words === '' || taken.includes(words) ? `question_${String(number)}` : words
}

/** Returns what is sent. */
export const questionsBody = (questions: readonly QuestionValues[]) => {
  const taken = questions.flatMap(({ id }) => id ?? [])
  return questions.map(({ id, label, type, choices, required }, at) => {
    const given = id ?? idFor(label.trim(), at + 1, taken)
    taken.push(given)
    return {
      ...{ id: given, label: label.trim(), type, required },
      ...(type === 'choice' ? { choices: linesOf(choices) } : {}),
    }
  })
}

export const QuestionFields = ({
  questions,
  onChange,
  errorOf,
}: {
  readonly questions: readonly QuestionValues[]
  readonly onChange: (questions: readonly QuestionValues[]) => void
  readonly errorOf: FieldError
}) => {
  const text = usePackageTexts()
  const types = useTexts(questionTypeNames)
  const change = (key: string, values: Partial<QuestionValues>): void =>
    onChange(questions.map((one) => (one.key === key ? { ...one, ...values } : one)))
  return (
    <>
      {questions.map(({ key, label, type, choices, required }, at) => {
        const number = String(at + 1)
        return (
          <fieldset key={key} className={styles['choices']}>
            <legend>{text.question(number)}</legend>
            <TextField
              name={`question-${number}`}
              label={text.questionLabel}
              value={label}
              onChange={(value) => change(key, { label: value })}
            />
            <Select
              name={`question-${number}-type`}
              label={text.questionType}
              value={type}
              options={Object.entries(types).map(([value, name]) => ({ value, label: name }))}
              onChange={(value) => change(key, { type: value as Question['type'] })}
            />
            {type === 'choice' && (
              <TextArea
                name={`question-${number}-choices`}
                label={text.questionChoices}
                hint={text.questionChoicesHint}
                rows={3}
                value={choices}
                onChange={(value) => change(key, { choices: value })}
              />
            )}
            <Checkbox
              label={text.questionRequired}
              checked={required}
              onChange={(value) => change(key, { required: value })}
            />
            <Button small look="danger" onClick={() => onChange(questions.filter((one) => one.key !== key))}>
              {text.removeQuestion(number)}
            </Button>
          </fieldset>
        )
      })}
      {errorOf('questions') !== null && <p className="field-error">{errorOf('questions')}</p>}
      {questions.length < MOST_QUESTIONS && (
        <Button
          small
          onClick={() =>
            onChange([
              ...questions,
              {
                ...{ key: crypto.randomUUID(), id: null, label: '' },
                ...{ type: 'text', choices: '', required: true },
              },
            ])
          }
        >
          {text.addQuestion}
        </Button>
      )}
    </>
  )
}
