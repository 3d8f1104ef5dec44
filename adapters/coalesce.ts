/** How long a question waits for the statement before it, which may be hanging, before it goes by itself. */
const PATIENCE_MS = 20
const MOST_AT_ONCE = 256

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Puts questions that come at about the same time, in one turn of the event loop or while another asking is under way,
 * into one asking. Nothing is remembered: each is answered by an asking that began after the question came.
 * @param ask answers in the order of the questions; when it fails, all of them fail
 */
export const coalesced = <Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): ((question: Question) => Promise<Answer>) => {
  let waiting: Waiting<Question, Answer>[] = []
  let running = 0
  let planned = false
  let patience: NodeJS.Timeout | undefined

  const send = async (batch: readonly Waiting<Question, Answer>[]): Promise<void> => {
    running++
    try {
      const answers = await ask(batch.map(({ question }) => question))
      for (const [at, { resolve }] of batch.entries()) resolve(answers[at] as Answer)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    running--
    if (running === 0) start()
  }

  const start = (): void => {
    planned = false
    clearTimeout(patience)
    patience = undefined
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE)
      waiting = waiting.slice(MOST_AT_ONCE)
      void send(batch)
    }
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (running > 0) patience ??= setTimeout(start, PATIENCE_MS)
      else if (!planned) {
        planned = true
        setImmediate(start)
      }
    })
}
