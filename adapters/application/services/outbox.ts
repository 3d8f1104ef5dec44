/** Recently sent emails, in memory, for development only. */
export interface OutboxEmail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly links: readonly string[]
  readonly at: string
}

export interface Outbox {
  readonly keep: (email: OutboxEmail) => void
  /** Newest first. */
  readonly list: () => readonly OutboxEmail[]
}

const MOST = 100

export const createOutbox = (): Outbox => {
  const kept: OutboxEmail[] = []
  return {
    keep: (email) => {
      kept.unshift(email)
      kept.length = Math.min(kept.length, MOST)
    },
    list: () => [...kept],
  }
}
