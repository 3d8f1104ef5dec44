/** Limits how many tasks run at a time and how many wait. */
import { EventLogUnavailable } from '../event-log.ts'

export interface Gate {
  /** @throws EventLogUnavailable if too many wait, or the task cannot start within `ms`; the task then never runs */
  readonly run: <T>(task: () => Promise<T>, ms: number) => Promise<T>
  /** Resolves when nothing runs or waits. */
  readonly idle: () => Promise<void>
}

export const createGate = (atOnce: number, maxWaiting: number): Gate => {
  let running = 0
  const waiting = new Set<() => void>()
  const idlers = new Set<() => void>()

  const leave = (): void => {
    running--
    for (const next of waiting) {
      next()
      return
    }
    if (running === 0) for (const done of [...idlers]) done()
  }
  const enter = (ms: number): Promise<void> =>
    new Promise((resolve, reject) => {
      if (running < atOnce) {
        running++
        resolve()
        return
      }
      if (waiting.size >= maxWaiting) {
        reject(new EventLogUnavailable('too many appends are waiting: nothing was appended'))
        return
      }
      const turn = (): void => {
        clearTimeout(timer)
        waiting.delete(turn)
        running++
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(turn)
        reject(new EventLogUnavailable('the append waited too long: nothing was appended'))
      }, ms)
      waiting.add(turn)
    })

  return {
    run: async (task, ms) => {
      await enter(ms)
      try {
        return await task()
      } finally {
        leave()
      }
    },
    idle: () =>
      new Promise((resolve) => {
        if (running === 0 && waiting.size === 0) {
          resolve()
          return
        }
        const done = (): void => {
          idlers.delete(done)
          resolve()
        }
        idlers.add(done)
      }),
  }
}
