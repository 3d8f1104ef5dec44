/**
 * Asks at most once in a while, however many want to know: whoever asks meanwhile waits for the same answer, and an
 * answer is given again until it is `ms` old. A failure is given to all who waited, and not kept.
 * @param now milliseconds of any clock that only goes forward
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
