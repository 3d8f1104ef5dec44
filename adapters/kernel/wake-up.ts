/** Lets loops sleep until there may be new work, without missing notifications that arrive while they are busy. */
export interface WakeUp {
  /** Reports that there may be new work. */
  readonly wake: () => void
  /** Returns a mark of the notifications so far. Take it before you check for work, and pass it to `after`. */
  readonly now: () => number
  /** Resolves at the first notification after the mark, after `ms`, or when `signal` aborts. */
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
