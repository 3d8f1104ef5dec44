/** What changed between two moments: who gained or lost access, and what caused it. */
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useList } from './api.ts'
import styles from './access-paths.module.css'
import { Badge } from './kit/badge.tsx'
import { Button } from './kit/button.tsx'
import { TextField } from './kit/field.tsx'
import formStyles from './kit/kit.module.css'
import { Loaded } from './kit/record.tsx'
import { Time } from './kit/time.tsx'
import { inputOf, momentOf } from './moment-input.ts'
import type { UserAccessChange } from './records.ts'
import { texts, useTexts } from './text.tsx'

type Cause = UserAccessChange['causes'][number]

const changeTexts = texts({
  en: {
    from: 'From',
    to: 'Until',
    compare: 'Compare',
    none: 'Nothing changed between these moments.',
    more: 'There are more changes. Choose a shorter time.',
    gained: 'Gained',
    lost: 'Lost',
    by: (name: string) => `by ${name}`,
    member_added: 'added to the group',
    member_removed: 'removed from the group',
    membership_ran_out: 'the membership expired',
    group_assigned: 'the group was assigned to the application',
    group_unassigned: 'the group was unassigned from the application',
    person_invited: 'invited',
    person_active: 'activated',
    person_suspended: 'suspended',
    person_deleted: 'deleted',
    application_active: 'the application was enabled',
    application_disabled: 'the application was disabled',
    application_deleted: 'the application was deleted',
  } satisfies Record<Cause['what'], string> & Record<string, unknown>,
  de: {
    from: 'Von',
    to: 'Bis',
    compare: 'Vergleichen',
    none: 'Zwischen diesen Zeitpunkten hat sich nichts geändert.',
    more: 'Es gibt weitere Änderungen. Wählen Sie einen kürzeren Zeitraum.',
    gained: 'Erhalten',
    lost: 'Verloren',
    by: (name: string) => `durch ${name}`,
    member_added: 'zur Gruppe hinzugefügt',
    member_removed: 'aus der Gruppe entfernt',
    membership_ran_out: 'die Mitgliedschaft lief ab',
    group_assigned: 'die Gruppe wurde der Anwendung zugewiesen',
    group_unassigned: 'die Zuweisung der Gruppe zur Anwendung wurde aufgehoben',
    person_invited: 'eingeladen',
    person_active: 'aktiviert',
    person_suspended: 'gesperrt',
    person_deleted: 'gelöscht',
    application_active: 'die Anwendung wurde aktiviert',
    application_disabled: 'die Anwendung wurde deaktiviert',
    application_deleted: 'die Anwendung wurde gelöscht',
  },
})

const MONTH_MS = 30 * 24 * 60 * 60 * 1000
const MOST = '200'

/** A change of any of the three routes: of a user, an application or a group. */
interface Change {
  readonly name: string
  readonly applicationId?: string
  readonly userId?: string
  readonly change: 'gained' | 'lost'
  readonly causes: readonly Cause[]
}

/**
 * @param path of the route, such as `/users/{id}/access/diff`; the two moments are in the address of the page
 * @param words for what is not access
 */
export const AccessChanges = ({
  path,
  words,
}: {
  readonly path: string
  readonly words?: Readonly<Record<Change['change'], string>>
}) => {
  const text = useTexts(changeTexts)
  const [search, setSearch] = useSearchParams()
  const [opened] = useState(() => Date.now())
  const from = search.get('from') ?? new Date(opened - MONTH_MS).toISOString()
  const to = search.get('to') ?? new Date(opened).toISOString()
  const [typed, setTyped] = useState({ from: inputOf(from), to: inputOf(to) })
  const changes = useList<Change>(path, { from, to, limit: MOST })
  return (
    <>
      <form
        className={formStyles['filters']}
        onSubmit={(event) => {
          event.preventDefault()
          setSearch((before) => {
            const after = new URLSearchParams(before)
            after.set('from', momentOf(typed.from))
            after.set('to', momentOf(typed.to))
            return after
          })
        }}
      >
        <TextField
          name="from"
          type="datetime-local"
          label={text.from}
          value={typed.from}
          onChange={(value) => setTyped({ ...typed, from: value })}
          required
        />
        <TextField
          name="to"
          type="datetime-local"
          label={text.to}
          value={typed.to}
          onChange={(value) => setTyped({ ...typed, to: value })}
          required
        />
        <Button type="submit">{text.compare}</Button>
      </form>
      <Loaded query={changes}>
        {({ items, next }) => (
          <>
            {items.length === 0 && <p className="hint">{text.none}</p>}
            <ul className={styles['subjects']}>
              {items.map(({ name, applicationId, userId, change, causes }) => (
                <li key={applicationId ?? userId ?? name}>
                  <p>
                    <strong>{name}</strong>{' '}
                    <Badge tone={change === 'gained' ? 'good' : 'bad'}>{(words ?? text)[change]}</Badge>
                  </p>
                  <ul className={styles['paths']}>
                    {causes.map(({ what, at, by, reason }) => (
                      <li key={`${what} ${at}`}>
                        <Time value={at} />: {text[what]}
                        {by?.name && <> {text.by(by.name)}</>}
                        {reason !== null && <> ({reason})</>}
                      </li>
                    ))}
                  </ul>
                </li>
              ))}
            </ul>
            {next !== null && <p className="hint">{text.more}</p>}
          </>
        )}
      </Loaded>
    </>
  )
}
