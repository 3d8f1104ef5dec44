/** Counters since the start of this process, for the metrics. */
export type TallyName =
  | 'wrong_code_stranger'
  | 'wrong_code_known_device'
  | 'wrong_code_signed_in'
  | 'code_guessing'
  | 'untrusted_forward'

export interface Tally {
  readonly count: (name: TallyName) => void
  readonly of: (name: TallyName) => number
}

export const newTally = (): Tally => {
  const counts = new Map<TallyName, number>()
  const of = (name: TallyName): number => counts.get(name) ?? 0
  return {
    count: (name) => {
      counts.set(name, of(name) + 1)
    },
    of,
  }
}
