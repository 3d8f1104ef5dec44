/**
 * Runs work once the browser has painted its reaction to what the user did: a new address draws the whole page, before
 * which a pressed button would not look pressed (Interaction to Next Paint).
 */
export const afterPaint = (work: () => void): void => {
  requestAnimationFrame(() => {
    setTimeout(work)
  })
}
