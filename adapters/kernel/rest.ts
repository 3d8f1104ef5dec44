import { setTimeout as delay } from 'node:timers/promises'

/** Resolves after the given milliseconds, or as soon as the signal aborts. */
export const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined)
