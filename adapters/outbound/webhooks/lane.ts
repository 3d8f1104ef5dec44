/**
 * Deliveries that were claimed from the queue of one endpoint and are to be sent next, in order. Each query claims as
 * many as can be sent within a moment: fewer queries than one by one, but still current.
 */
import type { TakenDelivery } from './deliveries.ts'

/** Milliseconds of sending for which deliveries are claimed ahead. */
const AHEAD_MS = 100

/** Milliseconds until a claim expires: this process may have been suspended. */
const FRESH_MS = 2500

/** Maximum number of deliveries claimed together. */
const MOST = 64

export interface Taken {
  readonly delivery: TakenDelivery
  /** Milliseconds since it was claimed */
  readonly age: number
}

export interface SendingLane {
  /** Number of attempts that run from this lane */
  running: number
  /** Returns the next delivery; null if none is pending. */
  next(): Promise<Taken | null>
  /** Releases claims that are not being sent. */
  drop(): void
  /** Called with the duration of each attempt in milliseconds. */
  lasted(milliseconds: number): void
}

/**
 * @param take returns the next deliveries, up to a limit, without those being sent
 * @param inHand ids of deliveries that are claimed and not finished
 */
export const sendingLane = (
  take: (limit: number) => Promise<readonly TakenDelivery[]>,
  inHand: Set<string>,
): SendingLane => {
  let taken: TakenDelivery[] = []
  let takenAt = 0
  let taking: Promise<boolean> | null = null
  /** Average milliseconds of an attempt */
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
