import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Chart } from '../kit/chart.tsx'
import kitStyles from '../kit/kit.module.css'
import { PageLink } from '../kit/link.tsx'
import { Facts } from '../kit/record.tsx'
import { TableFrame } from '../kit/table-frame.tsx'
import { Time } from '../kit/time.tsx'
import { ApplicationLink } from '../record-links.tsx'
import type { PolicyDryRunRecord } from '../records.ts'
import { useReader } from '../text.tsx'
import { usePolicyTexts } from './policy-texts.ts'
import { OutcomeBadge } from './sign-in-decision.tsx'

const DAY_MS = 86_400_000

type Day = PolicyDryRunRecord['days'][number]

/** Every day of the period, in UTC, also those without sign-ins. */
const daysOf = ({ from, to, days }: PolicyDryRunRecord): readonly Day[] => {
  const known = new Map(days.map((day) => [day.day, day]))
  const all: Day[] = []
  for (let time = Date.parse(from.slice(0, 10)); time < Date.parse(to); time += DAY_MS) {
    const day = new Date(time).toISOString().slice(0, 10)
    all.push(known.get(day) ?? { day, evaluated: 0, newlyBlocked: 0, newlyStepUp: 0, newlyAllowed: 0 })
  }
  return all
}

/** The numbers of a dry run, by day, user and application, with examples. A bar of the chart shows those of its day. */
export const DryRunResult = ({ run }: { readonly run: PolicyDryRunRecord }) => {
  const text = usePolicyTexts()
  const { locale } = useReader()
  const [picked, setPicked] = useState<string | null>(null)
  const dayFormat = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    return (day: string): string => format.format(new Date(day))
  }
  const full = dayFormat({ dateStyle: 'medium' })
  const short = dayFormat({ day: 'numeric', month: 'short' })
  return (
    <>
      <Facts
        facts={[
          [text.newlyBlocked, run.newlyBlocked],
          [text.newlyStepUp, run.newlyStepUp],
          [text.newlyAllowed, run.newlyAllowed],
          [text.usersChanged, run.usersChanged],
          [text.withoutFacts, run.withoutFacts === 0 ? null : run.withoutFacts],
          [text.withoutNetwork, run.withoutNetwork === 0 ? null : run.withoutNetwork],
          [text.mismatches, run.mismatches === 0 ? null : run.mismatches],
        ]}
      />
      {run.changed === 0 ? (
        run.status === 'done' && <p>{text.noChanges}</p>
      ) : (
        <>
          <h3>{text.byDay}</h3>
          <Chart
            title={text.byDay}
            pointName={text.when}
            kind="bars"
            series={[
              { name: text.newlyBlocked, tone: 'bad' },
              { name: text.newlyStepUp, tone: 'neutral' },
              { name: text.newlyAllowed, tone: 'good' },
            ]}
            points={daysOf(run).map(({ day, newlyBlocked, newlyStepUp, newlyAllowed }) => ({
              key: day,
              label: full(day),
              shortLabel: short(day),
              values: [newlyBlocked, newlyStepUp, newlyAllowed],
            }))}
            picked={picked}
            onPick={(day) => setPicked(day === picked ? null : day)}
          />
          <Samples
            samples={run.samples.filter(({ time }) => picked === null || time.startsWith(picked))}
            isPart={run.changed > run.samples.length}
            day={picked === null ? null : full(picked)}
            onAll={() => setPicked(null)}
          />
          <MostChanged run={run} />
        </>
      )}
    </>
  )
}

const Samples = ({
  samples,
  isPart,
  day,
  onAll,
}: {
  readonly samples: PolicyDryRunRecord['samples']
  /** Whether there are more changed sign-ins than samples */
  readonly isPart: boolean
  /** The day that they are of; null for all days */
  readonly day: string | null
  readonly onAll: () => void
}) => {
  const text = usePolicyTexts()
  const title = day === null ? text.samples : text.samplesOf(day)
  return (
    <>
      <div className={kitStyles['bulk']}>
        <h3 aria-live="polite">{title}</h3>
        {day !== null && (
          <Button small onClick={onAll}>
            {text.allDays}
          </Button>
        )}
      </div>
      {isPart && <p className="hint">{text.firstSamples}</p>}
      {samples.length === 0 ? (
        <p>{text.noSamples}</p>
      ) : (
        <TableFrame>
          <table className={kitStyles['table']} aria-label={title}>
            <thead>
              <tr>
                <th scope="col">{text.when}</th>
                <th scope="col">{text.user}</th>
                <th scope="col">{text.application}</th>
                <th scope="col">{text.was}</th>
                <th scope="col">{text.now}</th>
              </tr>
            </thead>
            <tbody>
              {samples.map(({ signInId, time, userName, appId, was, now }) => (
                <tr key={signInId}>
                  <td data-label={text.when}>
                    <PageLink to={`/console/sign-ins/${signInId}`}>
                      <Time value={time} />
                    </PageLink>
                  </td>
                  <td data-label={text.user}>{userName ?? text.unknown}</td>
                  <td data-label={text.application}>
                    {appId === null ? text.own.portal : <ApplicationLink id={appId} />}
                  </td>
                  <td data-label={text.was}>
                    <OutcomeBadge outcome={was} />
                  </td>
                  <td data-label={text.now}>
                    <OutcomeBadge outcome={now} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
    </>
  )
}

/** The users and applications with the most changed sign-ins. */
const MostChanged = ({ run: { users, applications } }: { readonly run: PolicyDryRunRecord }) => {
  const text = usePolicyTexts()
  return (
    <Facts
      facts={[
        [
          text.users,
          users.length === 0 ? null : (
            <ul key="users">
              {users.map(({ userId, name, changed }) => (
                <li key={userId}>
                  <PageLink to={`/console/users/${userId}`}>{name ?? text.unknown}</PageLink>: {changed}
                </li>
              ))}
            </ul>
          ),
        ],
        [
          text.applications,
          <ul key="applications">
            {applications.map(({ appId, name, changed }) => (
              <li key={appId ?? ''}>
                {appId === null ? (
                  text.own.portal
                ) : (
                  <PageLink to={`/console/applications/${appId}`}>{name ?? text.unknown}</PageLink>
                )}
                : {changed}
              </li>
            ))}
          </ul>,
        ],
      ]}
    />
  )
}
