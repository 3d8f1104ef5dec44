/** What is wrong with a new access request, as its package wants it. */
import type { PackageDuration, PackageQuestion } from '../access-package/events.ts'
import { durationAfter, isDuration } from '../duration.ts'
import type { Instant } from '../time.ts'
import type { RequestAnswers } from './events.ts'

interface InputProblem {
  readonly message: string
  readonly field: string
}

const answerProblem = (
  { id, type, choices = [], required }: PackageQuestion,
  answer: string | boolean | undefined,
): InputProblem | null => {
  const field = `/answers/${id}`
  if (answer === undefined || answer === '')
    return required ? { field, message: `answers: expected an answer to ${id}` } : null
  if (type === 'boolean')
    return typeof answer === 'boolean'
      ? null
      : { field, message: `answers: expected true or false for ${id}` }
  if (typeof answer !== 'string') return { field, message: `answers: expected text for ${id}` }
  if (type === 'choice' && !choices.includes(answer))
    return { field, message: `answers: expected one of ${choices.join(', ')} for ${id}` }
  return null
}

/** @returns null if every required question has an answer, and every answer a question */
export const answersProblem = (
  questions: readonly PackageQuestion[],
  answers: RequestAnswers,
): InputProblem | null => {
  const unknown = Object.keys(answers).find((id) => !questions.some((question) => question.id === id))
  if (unknown !== undefined)
    return { field: '/answers', message: 'answers: expected answers to the questions of the package only' }
  for (const question of questions) {
    const given = Object.hasOwn(answers, question.id) ? answers[question.id] : undefined
    const problem = answerProblem(question, given)
    if (problem !== null) return problem
  }
  return null
}

/**
 * @param start when the access would begin
 * @returns null if the package allows the duration; undefined is always allowed
 */
export const requestedDurationProblem = (
  duration: PackageDuration | null,
  requested: string | undefined,
  start: Instant,
): InputProblem | null => {
  const field = '/requestedDuration'
  if (requested === undefined) return null
  if (duration?.requesterMayChoose !== true)
    return { field, message: 'requestedDuration: this package does not let you choose' }
  if (!isDuration(requested))
    return {
      field,
      message:
        'requestedDuration: expected an ISO 8601 duration from one minute to ten years, for example P30D',
    }
  if (duration.max !== undefined && durationAfter(start, requested) > durationAfter(start, duration.max))
    return { field, message: `requestedDuration: expected at most ${duration.max}` }
  return null
}
