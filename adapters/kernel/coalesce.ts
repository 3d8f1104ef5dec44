/**
 * The one batcher of reads and small writes. Its invariants, which tests/kernel/coalesce.spec.ts checks:
 * each question is in exactly one call and gets the result of its own place in it; a call begins after all of its
 * questions were asked; a call has at most 256 questions; there is one call at a time, unless it takes longer than 20 ms
 * or more questions wait than one call can have; no question waits longer than 20 ms for its call.
 * Appends to the log have a batcher of their own (`engines/event-log/postgres/writer.ts`): they have deadlines and an
 * order, and their outcome can be unknown.
 */
import { createPace } from './pace.ts'

/** The clock and timers of the process, or those of a test. */
export interface Timers {
  /** Milliseconds; never goes back. */
  readonly now: () => number
  /** @returns cancels the timer */
  readonly after: (ms: number, run: () => void) => () => void
  /** Runs after the current turn of the event loop. */
  readonly soon: (run: () => void) => void
}

const processTimers: Timers = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => {
      clearTimeout(timer)
    }
  },
  soon: setImmediate,
}

/** How long a request waits for the previous call, which may hang, before it starts another one. */
const PATIENCE_MS = 20
const MOST_AT_ONCE = 256
/** Pause between calls under load. */
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
  { now, after, soon }: Timers = processTimers,
): ((question: Question) => Promise<Answer>) => {
  const pace = createPace(PACE_MS, now)
  let waiting: Waiting<Question, Answer>[] = []
  let running = 0
  let planned = false
  let cancel = (): void => undefined
  let isTimed = false

  const untime = (): void => {
    cancel()
    isTimed = false
  }

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
    untime()
    plan()
  }

  const start = (): void => {
    planned = false
    untime()
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE)
      waiting = waiting.slice(MOST_AT_ONCE)
      void send(batch)
    }
  }

  const plan = (): void => {
    if (waiting.length === 0 || planned) return
    const left = running > 0 ? PATIENCE_MS : pace.left(waiting.length)
    if (left > 0) {
      if (!isTimed) cancel = after(left, start)
      isTimed = true
      return
    }
    planned = true
    soon(start)
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      plan()
    })
}
