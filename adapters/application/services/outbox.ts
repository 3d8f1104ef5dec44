/** Recently sent emails, in memory, for development only. */
export interface OutboxLetter {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly links: readonly string[]
  readonly at: string
}

export interface Outbox {
  readonly keep: (letter: OutboxLetter) => void
  /** Newest first. */
  readonly list: () => readonly OutboxLetter[]
}

const MOST = 100

export const createOutbox = (): Outbox => {
  const kept: OutboxLetter[] = []
  return {
    keep: (letter) => {
      kept.unshift(letter)
      kept.length = Math.min(kept.length, MOST)
    },
    list: () => [...kept],
  }
}
