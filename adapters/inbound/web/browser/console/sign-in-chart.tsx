/** How many sign-ins succeeded and failed, by hour or day. */
import { useRecord, withQuery } from './api.ts'
import { Chart } from './kit/chart.tsx'
import { Loaded } from './kit/record.tsx'
import { useMoment } from './moment.tsx'
import type { SignInCountRecord } from './records.ts'
import { texts, useReader, useTexts } from './text.tsx'

export type ChartInterval = 'hour' | 'day'

export const signInChartTexts = texts({
  en: {
    byHour: 'Sign-ins by hour',
    byDay: 'Sign-ins by day',
    day: 'Last 30 days',
    hour: 'Last 24 hours',
    days: 'Days in UTC',
    time: 'Time',
    success: 'Success',
    failure: 'Failed',
    interrupted: 'Interrupted',
  },
  de: {
    byHour: 'Anmeldungen pro Stunde',
    byDay: 'Anmeldungen pro Tag',
    day: 'Letzte 30 Tage',
    hour: 'Letzte 24 Stunden',
    days: 'Tage in UTC',
    time: 'Zeit',
    success: 'Erfolgreich',
    failure: 'Fehlgeschlagen',
    interrupted: 'Abgebrochen',
  },
})

const formats: Readonly<Record<ChartInterval, readonly [full: object, short: object]>> = {
  hour: [
    { dateStyle: 'medium', timeStyle: 'short' },
    { hour: '2-digit', minute: '2-digit' },
  ],
  day: [{ dateStyle: 'medium' }, { day: 'numeric', month: 'short' }],
}

export const SignInChart = ({
  interval,
  kind = 'bars',
}: {
  readonly interval: ChartInterval
  readonly kind?: 'bars' | 'lines'
}) => {
  const text = useTexts(signInChartTexts)
  const { locale, timeZone } = useReader()
  const { at } = useMoment()
  const path = withQuery('/sign-ins/statistics', { interval, to: at ?? undefined })
  const counts = useRecord<readonly SignInCountRecord[]>(path)
  const [full, short] = formats[interval].map(
    // The days begin at midnight UTC, whatever the reader's time zone is.
    (format) =>
      new Intl.DateTimeFormat(locale, { ...format, timeZone: interval === 'day' ? 'UTC' : timeZone }),
  ) as [Intl.DateTimeFormat, Intl.DateTimeFormat]
  return (
    <Loaded query={counts}>
      {(data) => (
        <Chart
          kind={kind}
          title={interval === 'hour' ? text.byHour : text.byDay}
          pointName={text.time}
          series={[
            { name: text.success, tone: 'good' },
            { name: text.failure, tone: 'bad' },
            { name: text.interrupted, tone: 'neutral' },
          ]}
          points={data.map(({ start, success, failure, interrupted }) => ({
            key: start,
            label: full.format(new Date(start)),
            shortLabel: short.format(new Date(start)),
            values: [success, failure, interrupted],
          }))}
        />
      )}
    </Loaded>
  )
}
