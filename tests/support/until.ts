/**
 * Polls a condition every few milliseconds.
 * @param what names the condition in the error; a function if the error should also say what is known by then
 * @throws Error if it is not met within `limitMs`
 */
export const until = async (
  condition: () => boolean | Promise<boolean>,
  limitMs = 10_000,
  what: string | (() => string) = 'the condition',
): Promise<void> => {
  for (const end = Date.now() + limitMs; !(await condition());) {
    if (Date.now() > end)
      throw new Error(
        `${typeof what === 'string' ? what : what()} did not come about within ${String(limitMs)} ms`,
      )
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
