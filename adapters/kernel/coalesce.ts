import { createPace } from './pace.ts'

/** How long a question waits for the statement before it, which may be hanging, before it goes by itself. */
const PATIENCE_MS = 20
const MOST_AT_ONCE = 256
/** Between calls under load. */
const PACE_MS = 2

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Combines concurrent requests into one call: those in one turn of the event loop, during another call or,
 * under load, within two milliseconds. Nothing is cached: each result comes from a call that started after
 * its request.
 * @param ask returns results in the order of the requests; if it fails, all of them fail
 */
export const coalesced = <Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): ((question: Question) => Promise<Answer>) => {
  const pace = createPace(PACE_MS)
  let waiting: Waiting<Question, Answer>[] = []
  let running = 0
  let soon = false
  let later: NodeJS.Timeout | undefined

  const send = async (batch: readonly Waiting<Question, Answer>[]): Promise<void> => {
    running++
    pace.begins(batch.length)
    try {
      const answers = await ask(batch.map(({ question }) => question))
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    running--
    if (running > 0) return
    clearTimeout(later)
    later = undefined
    plan()
  }

  const start = (): void => {
    soon = false
    clearTimeout(later)
    later = undefined
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE)
      waiting = waiting.slice(MOST_AT_ONCE)
      void send(batch)
    }
  }

  const plan = (): void => {
    if (waiting.length === 0 || soon) return
    const left = running > 0 ? PATIENCE_MS : pace.left(waiting.length)
    if (left > 0) {
      later ??= setTimeout(start, left)
      return
    }
    soon = true
    setImmediate(start)
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      plan()
    })
}
