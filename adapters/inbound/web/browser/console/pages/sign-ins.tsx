import { useSearchParams } from 'wouter'
import { Button } from '../kit/button.tsx'
import { PageHead, Section } from '../kit/record.tsx'
import { SignInChart, signInChartTexts, type ChartInterval } from '../sign-in-chart.tsx'
import { signInTexts, SignInTable } from '../sign-in-table.tsx'
import { useTexts } from '../text.tsx'

const intervals: readonly ChartInterval[] = ['hour', 'day']

export const SignInsPage = () => {
  const text = useTexts(signInTexts)
  const chart = useTexts(signInChartTexts)
  const [search, setSearch] = useSearchParams()
  const interval = search.get('chart') === 'day' ? 'day' : 'hour'
  return (
    <>
      <PageHead title={text.label} />
      <Section
        title={interval === 'hour' ? chart.byHour : chart.byDay}
        hint={interval === 'day' ? chart.days : undefined}
        actions={intervals.map((one) => (
          <Button
            key={one}
            small
            pressed={one === interval}
            onClick={() => {
              setSearch(
                (before) => {
                  const after = new URLSearchParams(before)
                  if (one === 'hour') after.delete('chart')
                  else after.set('chart', one)
                  return after
                },
                { replace: true },
              )
            }}
          >
            {chart[one]}
          </Button>
        ))}
      >
        <SignInChart interval={interval} />
      </Section>
      <SignInTable path="/sign-ins" withUser />
    </>
  )
}
