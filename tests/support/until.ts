/** Polls a condition every few milliseconds. @throws Error if it is not met within `limitMs` */
export const until = async (
  condition: () => boolean | Promise<boolean>,
  limitMs = 10_000,
  what = 'the condition',
): Promise<void> => {
  for (const end = Date.now() + limitMs; !(await condition());) {
    if (Date.now() > end) throw new Error(`${what} did not come about within ${String(limitMs)} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
