import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { RiskEventRecord } from '../records.ts'
import { RiskLevelBadge, RiskStateBadge } from '../risk-badge.tsx'
import { useVerdicts } from '../risk-commands.ts'
import { riskLevelTexts, riskStateTexts, riskTexts, riskTypeTexts } from '../risk-texts.ts'
import { useTexts } from '../text.tsx'

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

export const RiskEventsPage = () => {
  const text = useTexts(riskTexts)
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <RiskEventTable withUser />
    </>
  )
}

/** @param fixed further filters, which the reader cannot change */
export const RiskEventTable = ({
  withUser = false,
  fixed,
}: {
  readonly withUser?: boolean
  readonly fixed?: Readonly<Record<string, string>>
}) => {
  const text = useTexts(riskTexts)
  const types = useTexts(riskTypeTexts)
  const states = useTexts(riskStateTexts)
  const { dismiss, confirmSafe } = useVerdicts()
  const { none: _, ...levels } = useTexts(riskLevelTexts)
  const columns: readonly Column<RiskEventRecord>[] = [
    {
      name: 'type',
      label: text.type,
      cell: ({ id, type }) => <PageLink to={`/console/risk-events/${id}`}>{types[type]}</PageLink>,
      text: ({ type }) => type,
    },
    ...(withUser
      ? [
          {
            name: 'user',
            label: text.user,
            cell: ({ userId, userName }: RiskEventRecord) =>
              userId === null ? (
                text.everyone
              ) : (
                <PageLink to={`/console/users/${userId}`}>{userName === '' ? userId : userName}</PageLink>
              ),
            text: ({ userName }: RiskEventRecord) => userName,
          },
        ]
      : []),
    {
      name: 'level',
      label: text.level,
      cell: ({ level }) => <RiskLevelBadge level={level} />,
      text: ({ level }) => level,
    },
    {
      name: 'state',
      label: text.state,
      cell: ({ state }) => <RiskStateBadge state={state} />,
      text: ({ state }) => state,
    },
    {
      name: 'place',
      label: text.place,
      cell: ({ location, ip }) => location ?? ip ?? '',
      text: ({ location, ip }) => location ?? ip ?? '',
    },
    {
      name: 'detected',
      label: text.detected,
      cell: ({ detectedAt }) => <Time value={detectedAt} relative />,
      text: ({ detectedAt }) => detectedAt,
    },
  ]
  return (
    <RecordList<RiskEventRecord>
      path="/risk-events"
      label={text.title}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ type, userName }) => (userName === '' ? types[type] : `${types[type]}, ${userName}`)}
      bulk={{ counted: text.counted, actions: [dismiss, confirmSafe] }}
      empty={text.empty}
      filters={[
        { name: 'state', label: text.state, options: optionsOf(states) },
        { name: 'level', label: text.level, options: optionsOf(levels) },
        { name: 'type', label: text.type, options: optionsOf(types) },
      ]}
      {...(fixed === undefined ? {} : { fixed })}
    />
  )
}
