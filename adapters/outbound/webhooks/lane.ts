/**
 * Deliveries that were claimed from the queue of one endpoint and are to be sent next, in order. As many are
 * claimed together as is sent within a moment: fewer queries than one by one, and soon enough to be current.
 */
import type { TakenDelivery } from './deliveries.ts'

/** Milliseconds for which deliveries are taken ahead. */
const AHEAD_MS = 100

/** Milliseconds until a claim expires: this process may have been suspended. */
const FRESH_MS = 2500

/** The most that is claimed together. */
const MOST = 64

export interface Taken {
  readonly delivery: TakenDelivery
  /** Milliseconds since it was taken. */
  readonly age: number
}

export interface SendingLane {
  /** How many send from it. */
  running: number
  /** @returns null when nothing waits */
  next(): Promise<Taken | null>
  /** Releases claims that are not being sent. */
  drop(): void
  /** Called with the duration of each attempt in milliseconds. */
  lasted(milliseconds: number): void
}

/**
 * @param take the next deliveries, up to a limit, none of which is being sent
 * @param inHand ids of deliveries that were taken and are not over
 */
export const sendingLane = (
  take: (limit: number) => Promise<readonly TakenDelivery[]>,
  inHand: Set<string>,
): SendingLane => {
  let taken: TakenDelivery[] = []
  let takenAt = 0
  let taking: Promise<boolean> | null = null
  /** Milliseconds of an attempt. */
  let usual = AHEAD_MS / 10

  const drop = (): void => {
    for (const { id } of taken) inHand.delete(id)
    taken = []
  }

  const refill = async (lane: SendingLane): Promise<boolean> => {
    const began = performance.now()
    const limit = Math.min(MOST, Math.max(1, Math.floor((AHEAD_MS * lane.running) / usual)))
    taken = [...(await take(limit))]
    takenAt = began
    for (const { id } of taken) inHand.add(id)
    return taken.length > 0
  }

  const lane: SendingLane = {
    running: 0,
    drop,
    lasted: (milliseconds) => {
      usual = Math.max(0.1, (usual + milliseconds) / 2)
    },
    next: async () => {
      for (;;) {
        const age = performance.now() - takenAt
        if (age > FRESH_MS) drop()
        const delivery = taken.shift()
        if (delivery !== undefined) return { delivery, age }
        taking ??= refill(lane).finally(() => {
          taking = null
        })
        if (!(await taking)) return null
      }
    },
  }
  return lane
}
