/**
 * Limits calls: concurrent callers share one result, and a result is reused for `ms`. A failure goes to all
 * waiting callers, and is not kept.
 * @param now milliseconds of a monotonic clock
 */
export const reused = <Answer>(
  ask: () => Promise<Answer>,
  ms: number,
  now: () => number,
): (() => Promise<Answer>) => {
  let kept: { readonly answer: Promise<Answer>; until: number } | undefined
  return () => {
    if (kept !== undefined && now() < kept.until) return kept.answer
    const latest = { answer: ask(), until: Infinity }
    kept = latest
    latest.answer.then(
      () => {
        latest.until = now() + ms
      },
      () => {
        latest.until = 0
      },
    )
    return latest.answer
  }
}
