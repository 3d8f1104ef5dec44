/** The most steps of an axis above zero. */
const STEPS = 4

/** Returns the round values that an axis of counts shows, from 0 to at least the maximum. */
export const axisOf = (maximum: number): readonly number[] => {
  const rough = Math.max(1, maximum) / STEPS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power)
  const steps = Math.max(1, Math.ceil(maximum / step))
  return Array.from({ length: steps + 1 }, (_, index) => index * step)
}

/** Returns the distance of the labels of an axis, in points, so that they do not overlap. */
export const labelEvery = (points: number, width: number, labelWidth: number): number =>
  Math.max(1, Math.ceil((points * labelWidth) / Math.max(width, labelWidth)))
