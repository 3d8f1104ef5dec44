import type { BuildProgress } from '../../projections/build.ts'
import type { Log } from './log.ts'

/** The progress of the build of the read models, for operators. */
export interface UpgradeStatus {
  readonly step: BuildProgress['step']
  /** 0 to 100, rounded down */
  readonly percent: number
  readonly eventsPerSecond: number
  /** Seconds until the current step ends; null before it can be estimated */
  readonly secondsLeft: number | null
}

export interface UpgradeProgress {
  readonly progressed: (progress: BuildProgress) => void
  /** Null before the build starts */
  readonly status: () => UpgradeStatus | null
}

/** Milliseconds between two log lines. */
const LOG_EVERY_MS = 5000
const BAR_EVERY_MS = 200
const BAR_WIDTH = 30

const wholeSeconds = (ms: number): number => Math.ceil(ms / 1000)

/** Formats seconds: `1 h 5 min`, `3 min`, `12 s`. */
export const inWords = (seconds: number): string => {
  if (seconds < 100) return `${String(seconds)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 100
    ? `${String(minutes)} min`
    : `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`
}

export const describeUpgrade = ({ step, percent, eventsPerSecond, secondsLeft }: UpgradeStatus): string =>
  [
    `building the read models of this version: ${step}, ${String(percent)} %`,
    step === 'replaying' ? `${String(eventsPerSecond)} events/s` : null,
    secondsLeft === null ? null : `${inWords(secondsLeft)} left`,
  ]
    .filter((part) => part !== null)
    .join(', ')

/** Returns a progress bar: one line that overwrites itself. */
const barOf = (status: UpgradeStatus): string => {
  const full = Math.floor((status.percent * BAR_WIDTH) / 100)
  return `\r\x1b[K[${'#'.repeat(full)}${' '.repeat(BAR_WIDTH - full)}] ${describeUpgrade(status)}`
}

/**
 * Follows a build: on a terminal with a bar, otherwise with log lines.
 * @param options.terminal where the bar is written; undefined if there is no terminal
 * @param options.now milliseconds of a monotonic clock
 */
export const upgradeProgress = (
  log: Log,
  {
    terminal,
    now = () => performance.now(),
  }: {
    readonly terminal?: { readonly write: (text: string) => unknown } | undefined
    readonly now?: () => number
  } = {},
): UpgradeProgress => {
  let status: UpgradeStatus | null = null
  let began = { at: 0, done: 0, events: 0 }
  let shownAt = Number.NEGATIVE_INFINITY

  return {
    status: () => status,
    progressed: ({ step, done, events }) => {
      const at = now()
      if (status?.step !== step) began = { at, done, events }
      const passed = at - began.at
      const gained = done - began.done
      status = {
        step,
        percent: Math.floor(done * 100),
        eventsPerSecond: passed === 0 ? 0 : Math.round(((events - began.events) * 1000) / passed),
        secondsLeft: gained <= 0 ? null : wholeSeconds((passed * (1 - done)) / gained),
      }
      if (at - shownAt < (terminal === undefined ? LOG_EVERY_MS : BAR_EVERY_MS) && done < 1) return
      shownAt = at
      if (terminal === undefined) log.info({ ...status }, 'building the read models of this version')
      else terminal.write(`${barOf(status)}${done < 1 ? '' : '\n'}`)
    },
  }
}
