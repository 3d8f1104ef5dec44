/** Whom a lifecycle rule concerns now, and running it for them. */
import { useState } from 'react'
import { dateTriggers } from '../../../../../../domain/lifecycle-rule/events.ts'
import { useCommand } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { PageLink } from '../kit/link.tsx'
import { Problem } from '../kit/problem.tsx'
import { Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { LifecyclePreviewRecord, LifecycleRuleRecord } from '../records.ts'
import { useLifecycleTexts } from './lifecycle-texts.ts'

type Person = LifecyclePreviewRecord['users'][number]

/** The most users of one request. */
const AT_ONCE = 100

export const LifecyclePreview = ({
  rule,
  mayWrite,
}: {
  readonly rule: LifecycleRuleRecord
  readonly mayWrite: boolean
}) => {
  const text = useLifecycleTexts()
  const { mutate, data, error, isPending } = useCommand<LifecyclePreviewRecord>()
  const [running, setRunning] = useState<readonly Person[] | null>(null)
  const isDate = (dateTriggers as readonly string[]).includes(rule.trigger.type)
  const show = (): void => mutate({ method: 'POST', path: `/lifecycle/rules/${rule.id}/preview` })
  return (
    <Section
      title={text.preview}
      hint={isDate ? text.previewDates : text.previewLead}
      actions={
        <>
          <Button small onClick={show} disabled={isPending}>
            {text.preview}
          </Button>
          {mayWrite && data !== undefined && data.users.length > 0 && (
            <Button small onClick={() => setRunning(data.users.slice(0, AT_ONCE))}>
              {text.run}
            </Button>
          )}
        </>
      }
    >
      {error !== null && <Problem error={error} retry={show} />}
      {data !== undefined && <People preview={data} onRun={mayWrite ? (one) => setRunning([one]) : null} />}
      {running !== null && (
        <CommandDialog
          title={text.runTitle(rule.name)}
          intro={<p>{text.runEffect(running.map(({ name }) => name).join(', '))}</p>}
          confirm={text.run}
          done={text.started}
          command={() => ({
            method: 'POST',
            path: `/lifecycle/rules/${rule.id}/run`,
            body: { userIds: running.map(({ id }) => id) },
          })}
          onClose={() => setRunning(null)}
        />
      )}
    </Section>
  )
}

const People = ({
  preview: { users, total, wouldPause },
  onRun,
}: {
  readonly preview: LifecyclePreviewRecord
  readonly onRun: ((person: Person) => void) | null
}) => {
  const text = useLifecycleTexts()
  if (total === 0) return <p>{text.nobody}</p>
  return (
    <>
      {wouldPause && <p>{text.wouldPause}</p>}
      <ul>
        {users.map((one) => (
          <li key={one.id}>
            <PageLink to={`/console/users/${one.id}`}>{one.name}</PageLink>{' '}
            <span className="hint">{one.email}</span> {one.at !== null && <Time value={one.at} />}{' '}
            {one.hasRole && <Badge tone="warn">{text.role}</Badge>}{' '}
            {onRun !== null && (
              <Button small look="quiet" onClick={() => onRun(one)}>
                {text.runFor(one.name)}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {total > users.length && <p className="hint">{String(total)}</p>}
    </>
  )
}
