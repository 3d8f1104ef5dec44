/**
 * Repeats `work` with a given concurrency for about a given time.
 * @returns operations per second
 */
export const throughput = async (
  atOnce: number,
  seconds: number,
  work: (n: number) => Promise<unknown>,
): Promise<number> => {
  let n = 0
  const warmUp = performance.now() + Math.min(1000, seconds * 250)
  let started = 0
  let counted = 0
  const end = (): number => (started === 0 ? Number.POSITIVE_INFINITY : started + seconds * 1000)
  const worker = async (): Promise<void> => {
    while (performance.now() < end()) {
      await work(n++)
      const now = performance.now()
      if (started === 0 && now >= warmUp) started = now
      else if (started > 0) counted++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return counted / ((performance.now() - started) / 1000)
}

/** Returns the value below which this share (0 to 1) of the values are. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export interface Line {
  readonly what: string
  readonly value: string
  /** The same divided by a baseline of this run */
  readonly ratio?: string
}

export const printTable = (lines: readonly Line[]): void => {
  const width = Math.max(...lines.map(({ what }) => what.length))
  for (const { what, value, ratio = '' } of lines)
    console.log(`${what.padEnd(width)}  ${value.padStart(14)}  ${ratio}`)
}

export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`
export const milliseconds = (ms: number): string => `${ms.toFixed(1)} ms`

export const ratioTo = (value: number, baseline: number, name: string): string =>
  `${(value / baseline).toFixed(2)} × ${name}`
