const units = ['year', 'month', 'week', 'day', 'hour', 'minute'] as const

/**
 * An ISO 8601 duration in words: `P1Y6M` in English is `1 year, 6 months`. A text that is no such duration is returned
 * unchanged.
 * @param locale BCP 47
 */
export const durationText = (duration: string, locale: string): string => {
  const parts = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(duration)
  if (parts === null) return duration
  return units
    .flatMap((unit, at) => {
      const amount = parts[at + 1]
      const style = { style: 'unit', unit, unitDisplay: 'long' } as const
      return amount === undefined ? [] : [new Intl.NumberFormat(locale, style).format(Number(amount))]
    })
    .join(', ')
}
