/** Buttons over the bars of a chart. One of them is in the tab order; the arrow keys move to the others. */
import { useState, type KeyboardEvent } from 'react'
import styles from './chart.module.css'

export interface ChartPlace {
  readonly key: string
  /** What the bar shows, in words */
  readonly name: string
  /** Without a bar there is no button. */
  readonly isEmpty: boolean
}

/** Returns how far a key moves among `count` buttons; null for other keys. */
const moved = (key: string, from: number, count: number): number | null => {
  switch (key) {
    case 'ArrowRight':
      return Math.min(from + 1, count - 1)
    case 'ArrowLeft':
      return Math.max(from - 1, 0)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

const moveFocus = (event: KeyboardEvent<HTMLDivElement>): void => {
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const from = buttons.findIndex((button) => button === document.activeElement)
  const to = moved(event.key, from, buttons.length)
  if (from === -1 || to === null) return
  event.preventDefault()
  buttons[to]?.focus()
}

export const ChartPlaces = ({
  label,
  places,
  picked,
  onPick,
}: {
  readonly label: string
  readonly places: readonly ChartPlace[]
  readonly picked: string | null
  readonly onPick: (key: string) => void
}) => {
  const [focused, setFocused] = useState<string | null>(null)
  const filled = places.filter(({ isEmpty }) => !isEmpty)
  const reachable = filled.find(({ key }) => key === (focused ?? picked)) ?? filled[0]
  return (
    <div className={styles['places']} role="group" aria-label={label} onKeyDown={moveFocus}>
      {places.map(({ key, name, isEmpty }) =>
        isEmpty ? (
          <span key={key} />
        ) : (
          <button
            key={key}
            type="button"
            title={name}
            aria-label={name}
            aria-pressed={key === picked}
            tabIndex={key === reachable?.key ? 0 : -1}
            onFocus={() => setFocused(key)}
            onClick={() => onPick(key)}
          />
        ),
      )}
    </div>
  )
}
