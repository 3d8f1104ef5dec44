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
    const asked = { answer: ask(), until: Infinity }
    kept = asked
    asked.answer.then(
      () => {
        asked.until = now() + ms
      },
      () => {
        asked.until = 0
      },
    )
    return asked.answer
  }
}
