/** Counts over time as bars or lines, for sighted readers; for all others in words and as a table. */
import { useId, useLayoutEffect, useRef, useState } from 'react'
import { texts, useReader, useTexts } from '../text.tsx'
import { Button } from './button.tsx'
import { ChartPlaces } from './chart-places.tsx'
import { axisOf, labelEvery } from './chart-scale.ts'
import styles from './chart.module.css'
import kitStyles from './kit.module.css'
import { TableFrame } from './table-frame.tsx'

export type ChartTone = 'good' | 'bad' | 'neutral'

export interface ChartSeries {
  readonly name: string
  /** Of each tone at most one series: the tones differ in colour and in pattern */
  readonly tone: ChartTone
}

export interface ChartPoint {
  readonly key: string
  /** In full, for the table */
  readonly label: string
  /** Below the axis */
  readonly shortLabel: string
  /** One for each series */
  readonly values: readonly number[]
}

const chartTexts = texts({
  en: {
    asTable: 'Show as table',
    summary: (name: string, total: string, most: string, when: string) =>
      `${name}: ${total} in total, at most ${most} (${when}).`,
    none: (name: string) => `${name}: none.`,
  },
  de: {
    asTable: 'Als Tabelle zeigen',
    summary: (name: string, total: string, most: string, when: string) =>
      `${name}: insgesamt ${total}, höchstens ${most} (${when}).`,
    none: (name: string) => `${name}: keine.`,
  },
})

/** In multiples of the reader's font size. */
const size = { height: 12, bottom: 1.75, top: 0.5, left: 3, label: 5.5 }
/** The part of its place that a bar takes. */
const BAR = 0.72

/** Returns the width of an element as it changes, in pixels. */
const useWidth = () => {
  const element = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(entry.contentRect.width)
    })
    observer.observe(current)
    return () => {
      observer.disconnect()
    }
  }, [])
  return [element, width] as const
}

export const Chart = ({
  kind = 'bars',
  title,
  pointName,
  series,
  points,
  picked = null,
  onPick,
}: {
  /** Bars of one point stand on one another. */
  readonly kind?: 'bars' | 'lines'
  readonly title: string
  /** The heading of the points in the table */
  readonly pointName: string
  readonly series: readonly ChartSeries[]
  readonly points: readonly ChartPoint[]
  /** The key of the point that is picked */
  readonly picked?: string | null
  /** Makes each bar, and each row of the table, a button */
  readonly onPick?: (key: string) => void
}) => {
  const text = useTexts(chartTexts)
  const { locale } = useReader()
  const id = useId()
  const [frame, width] = useWidth()
  const [unit] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
  const fillOf = (tone: ChartTone): string | undefined => (tone === 'bad' ? `url(#${id}-hatched)` : undefined)
  const format = (value: number): string => new Intl.NumberFormat(locale).format(value)
  const heights = points.map(({ values }) =>
    kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values),
  )
  const axis = axisOf(Math.max(0, ...heights))
  const top = axis.at(-1) ?? 1
  const area = {
    left: size.left * unit,
    width: Math.max(0, width - size.left * unit),
    top: size.top * unit,
    height: (size.height - size.bottom - size.top) * unit,
  }
  const yOf = (value: number): number => area.top + area.height * (1 - value / top)
  const place = area.width / Math.max(1, points.length)
  const middleOf = (index: number): number => area.left + place * (index + 0.5)
  const every = labelEvery(points.length, area.width, size.label * unit)
  const valuesInWords = ({ values }: ChartPoint): readonly string[] =>
    series.map(({ name }, at) => `${name}: ${format(values[at] ?? 0)}`)
  const description = series
    .map(({ name }, index) => {
      const values = points.map((point) => point.values[index] ?? 0)
      const most = Math.max(0, ...values)
      const total = values.reduce((sum, value) => sum + value, 0)
      if (total === 0) return text.none(name)
      return text.summary(name, format(total), format(most), points[values.indexOf(most)]?.label ?? '')
    })
    .join(' ')
  return (
    <div className={styles['chart']}>
      <ul className={styles['legend']}>
        {series.map(({ name, tone }) => (
          <li key={name}>
            <svg width={kind === 'bars' ? unit : unit * 1.5} height={unit} aria-hidden="true">
              {kind === 'bars' ? (
                <rect width={unit} height={unit} className={styles[tone]} fill={fillOf(tone)} />
              ) : (
                <line
                  x2={unit * 1.5}
                  y1={unit / 2}
                  y2={unit / 2}
                  data-tone={tone}
                  className={styles['line']}
                />
              )}
            </svg>{' '}
            {name}
          </li>
        ))}
      </ul>
      <div ref={frame} className={styles['frame']}>
        <svg
          role="img"
          aria-labelledby={`${id}-title`}
          aria-describedby={`${id}-description`}
          width={width}
          height={size.height * unit}
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-description`}>{description}</desc>
          <defs>
            <pattern
              id={`${id}-hatched`}
              width={6}
              height={6}
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect width={6} height={6} className={styles['hatchGround']} />
              <rect width={3.5} height={6} className={styles['hatch']} />
            </pattern>
          </defs>
          {axis.map((value) => (
            <g key={value}>
              <line
                x1={area.left}
                x2={area.left + area.width}
                y1={yOf(value)}
                y2={yOf(value)}
                className={styles['grid']}
              />
              <text
                x={area.left - unit / 2}
                y={yOf(value)}
                textAnchor="end"
                dominantBaseline="middle"
                className={styles['tick']}
              >
                {format(value)}
              </text>
            </g>
          ))}
          {points.map(({ key, shortLabel }, index) =>
            index % every === 0 ? (
              <text
                key={key}
                x={Math.min(middleOf(index), area.left + area.width - (size.label * unit) / 3)}
                y={(size.height - 0.4) * unit}
                textAnchor="middle"
                className={styles['tick']}
              >
                {shortLabel}
              </text>
            ) : null,
          )}
          {kind === 'bars'
            ? points.map((point, index) => (
                <g key={point.key}>
                  <title>{[point.label, ...valuesInWords(point)].join('\n')}</title>
                  {series.map(({ tone, name }, at) => {
                    const below = point.values.slice(0, at).reduce((sum, value) => sum + value, 0)
                    const value = point.values[at] ?? 0
                    return (
                      <rect
                        key={name}
                        x={middleOf(index) - (place * BAR) / 2}
                        width={place * BAR}
                        y={yOf(below + value)}
                        height={yOf(below) - yOf(below + value)}
                        className={styles[tone]}
                        fill={fillOf(tone)}
                      />
                    )
                  })}
                </g>
              ))
            : series.map(({ tone, name }, at) => (
                <polyline
                  key={name}
                  points={points
                    .map(({ values }, index) => `${String(middleOf(index))},${String(yOf(values[at] ?? 0))}`)
                    .join(' ')}
                  data-tone={tone}
                  className={styles['line']}
                />
              ))}
        </svg>
        {onPick !== undefined && (
          <ChartPlaces
            label={title}
            picked={picked}
            onPick={onPick}
            places={points.map((point, index) => ({
              key: point.key,
              name: [point.label, ...valuesInWords(point)].join(', '),
              isEmpty: heights[index] === 0,
            }))}
          />
        )}
      </div>
      <details className={styles['data']}>
        <summary>{text.asTable}</summary>
        <TableFrame>
          <table className={kitStyles['table']} aria-label={title}>
            <thead>
              <tr>
                <th scope="col">{pointName}</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map(({ key, label, values }) => (
                <tr key={key}>
                  <td data-label={pointName}>
                    {onPick === undefined ? (
                      label
                    ) : (
                      <Button small look="quiet" pressed={key === picked} onClick={() => onPick(key)}>
                        {label}
                      </Button>
                    )}
                  </td>
                  {series.map(({ name }, at) => (
                    <td key={name} data-label={name}>
                      {format(values[at] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      </details>
    </div>
  )
}
