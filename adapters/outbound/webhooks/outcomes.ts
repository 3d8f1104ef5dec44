/** Stores the results of attempts; results that arrive during a statement share the next one. */
import { setTimeout as delay } from 'node:timers/promises'
import { BATCH, type DeliveryStore } from './deliveries.ts'
import type { Attempted } from './record-attempts.ts'

/** Number of retries, one second apart, while the database is unavailable. */
const TRIES = 30

/** Milliseconds for which outcomes are collected, unless a delivery waits for a free slot. */
const GATHER_MS = 10

export interface Outcomes {
  /** Resolves once the result is stored; rejects if it could not be stored. */
  add(attempted: Attempted): Promise<void>
  /** Stores the collected results. */
  hurry(): void
}

interface Waiting {
  readonly attempted: Attempted
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** @param changed called with endpoints that changed after their deliveries were claimed */
export const outcomeWriter = (
  store: Pick<DeliveryStore, 'recordAttempts'>,
  changed: (webhookId: string) => void,
): Outcomes => {
  let waiting: Waiting[] = []
  let writing = false
  let hurry = (): void => undefined

  const gathered = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS)
      hurry = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const recordAttempts = async (attempted: readonly Attempted[]): Promise<readonly string[]> => {
    for (let tries = 1; ; tries++)
      try {
        return await store.recordAttempts(attempted)
      } catch (error) {
        if (tries === TRIES) throw error
        await delay(1000)
      }
  }

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      await gathered()
      const some = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      try {
        for (const webhookId of await recordAttempts(some.map(({ attempted }) => attempted)))
          changed(webhookId)
        for (const { done } of some) done()
      } catch (error) {
        for (const { failed } of some) failed(error)
      }
    }
    writing = false
  }

  return {
    add: (attempted) =>
      new Promise((done, failed) => {
        waiting.push({ attempted, done, failed })
        if (writing) return
        writing = true
        void write()
      }),
    hurry: () => {
      hurry()
    },
  }
}
