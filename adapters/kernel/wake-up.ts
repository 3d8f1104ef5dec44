/** Lets loops sleep until there may be something new, without missing news that arrives while they are busy. */
export interface WakeUp {
  /** There may be something new. */
  readonly wake: () => void
  /** Marks the news so far. Take it before you look, and pass it to `after`. */
  readonly now: () => number
  /** Resolves at the first news after the mark, at `ms`, or when `signal` aborts, whichever is first. */
  readonly after: (mark: number, ms: number, signal: AbortSignal) => Promise<void>
}

export const createWakeUp = (): WakeUp => {
  let count = 0
  const waiting = new Set<() => void>()
  return {
    wake: () => {
      count++
      for (const done of [...waiting]) done()
    },
    now: () => count,
    after: (mark, ms, signal) =>
      new Promise((resolve) => {
        if (mark !== count || signal.aborted) {
          resolve()
          return
        }
        const done = (): void => {
          clearTimeout(timer)
          waiting.delete(done)
          signal.removeEventListener('abort', done)
          resolve()
        }
        const timer = setTimeout(done, ms)
        waiting.add(done)
        signal.addEventListener('abort', done)
      }),
  }
}
