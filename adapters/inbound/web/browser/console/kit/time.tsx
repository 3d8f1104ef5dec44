import { useReader } from '../text.tsx'

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
]

/** `relative` shows how long ago for the last month, with the exact time as a tooltip. */
export const Time = ({
  value,
  relative = false,
}: {
  readonly value: string
  readonly relative?: boolean
}) => {
  const { exactTime, timeAgo } = useReader()
  const date = new Date(value)
  const exact = exactTime.format(date)
  let amount = (date.getTime() - Date.now()) / 1000
  let text = exact
  if (relative)
    for (const [unit, size] of steps) {
      if (Math.abs(amount) < size) {
        text = timeAgo.format(Math.round(amount), unit)
        break
      }
      amount /= size
    }
  return (
    <time dateTime={value} title={exact}>
      {text}
    </time>
  )
}
