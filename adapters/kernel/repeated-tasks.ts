/**
 * Repeats tasks, one after the other:
 *
 * - One task runs at a time; each starts at least `every` seconds after its last run ended.
 * - A failure is reported and delays no other task; the failed task waits at least as long as the report
 * requests.
 * - When the signal aborts, nothing more starts and a pause is cut short; the promise resolves once no task
 * runs.
 *
 * Tasks that must not wait for each other need separate calls.
 */
export interface RepeatedTask {
  readonly name: string
  /** Seconds between the end of a run and the next one */
  readonly every: number
  readonly run: () => Promise<unknown>
}

export interface RepeatedTasksOptions {
  readonly signal: AbortSignal
  /** Called after a successful run. */
  readonly succeeded?: (task: string) => void
  /** Called after a failed run. @returns milliseconds until the next attempt, if longer than usual */
  readonly failed: (task: string, error: unknown) => number | undefined
  /** Whether the first runs start after `every` seconds instead of immediately */
  readonly beginsLater?: boolean
  /** Resolves after the given milliseconds, or earlier if there is work to do or the signal aborts. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>
  /** A monotonic clock in milliseconds */
  readonly nowMs?: () => number
}

/** @returns once the signal has aborted and no task runs */
export const repeatTasks = async (
  tasks: readonly RepeatedTask[],
  {
    signal,
    succeeded,
    failed,
    beginsLater = false,
    rest,
    nowMs = () => performance.now(),
  }: RepeatedTasksOptions,
): Promise<void> => {
  const start = nowMs()
  const lanes = tasks.map((task) => ({ task, due: start + (beginsLater ? task.every * 1000 : 0) }))
  const begin = async (lane: (typeof lanes)[number]): Promise<void> => {
    const { name, every, run } = lane.task
    let pause = every * 1000
    try {
      await run()
      succeeded?.(name)
    } catch (error) {
      pause = Math.max(pause, failed(name, error) ?? 0)
    }
    lane.due = nowMs() + pause
  }
  while (!signal.aborted) {
    for (const lane of lanes) if (!signal.aborted && nowMs() >= lane.due) await begin(lane)
    const next = Math.min(...lanes.map(({ due }) => due)) - nowMs()
    if (!signal.aborted) await rest(Math.max(1, next), signal)
  }
}
