/** Sessions, and ending one. */
import { useState } from 'react'
import { Badge } from './kit/badge.tsx'
import { Button } from './kit/button.tsx'
import { CommandDialog } from './kit/command-dialog.tsx'
import { PageLink } from './kit/link.tsx'
import { RecordList, type Column } from './kit/list.tsx'
import { Time } from './kit/time.tsx'
import { useMoment } from './moment.tsx'
import { userTexts } from './pages/user-texts.ts'
import type { SessionRecord } from './records.ts'
import { useMay } from './session.tsx'
import { texts, useTexts } from './text.tsx'

export const sessionTexts = texts({
  en: {
    user: 'User',
    end: 'End',
    endTitle: 'End this session',
    endEffect:
      'The user is signed out there, and the tokens that applications got through this session stop working immediately.',
    ended: 'The session was ended',
    expires: 'Ends',
  },
  de: {
    user: 'Benutzer',
    end: 'Beenden',
    endTitle: 'Diese Sitzung beenden',
    endEffect:
      'Der Benutzer wird dort abgemeldet, und die Tokens, die Anwendungen durch diese Sitzung haben, gelten sofort nicht mehr.',
    ended: 'Die Sitzung wurde beendet',
    expires: 'Endet',
  },
})

const statuses = ['active', 'expired', 'ended', 'revoked'] as const satisfies SessionRecord['status'][]

/** @param withUser whether the list is about several users */
export const SessionTable = ({
  path,
  withUser = false,
}: {
  readonly path: string
  readonly withUser?: boolean
}) => {
  const text = useTexts(userTexts)
  const own = useTexts(sessionTexts)
  const { at } = useMoment()
  const mayEnd = useMay('security_admin', 'helpdesk_admin', 'user_admin') && at === null
  const [ending, setEnding] = useState<SessionRecord | null>(null)
  const user: Column<SessionRecord> = {
    name: 'user',
    label: own.user,
    cell: ({ userId, userName }) => (
      <PageLink to={`/console/users/${userId}?tab=security`}>{userName === '' ? userId : userName}</PageLink>
    ),
    text: ({ userId, userName }) => (userName === '' ? userId : userName),
  }
  const end: Column<SessionRecord> = {
    name: 'end',
    label: own.end,
    cell: (session) =>
      session.status === 'active' && (
        <Button small look="danger" onClick={() => setEnding(session)}>
          {own.end}
          <span className="visually-hidden"> {session.ip ?? session.id}</span>
        </Button>
      ),
  }
  const columns: readonly Column<SessionRecord>[] = [
    ...(withUser ? [user] : []),
    {
      name: 'status',
      label: text.session,
      cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'neutral'}>{text[status]}</Badge>,
      text: ({ status }) => status,
    },
    {
      name: 'created',
      label: text.created,
      cell: ({ id, createdAt }) => (
        <PageLink to={`/console/sessions/${id}`}>
          <Time value={createdAt} relative />
        </PageLink>
      ),
      text: ({ createdAt }) => createdAt,
    },
    {
      name: 'seen',
      label: text.lastSeen,
      cell: ({ lastSeenAt }) => <Time value={lastSeenAt} relative />,
      text: ({ lastSeenAt }) => lastSeenAt,
    },
    {
      name: 'ip',
      label: text.address,
      cell: ({ ip, location }) => [ip, location].filter(Boolean).join(', '),
      text: ({ ip }) => ip ?? '',
    },
    {
      name: 'device',
      label: text.browser,
      cell: ({ userAgent }) => userAgent ?? '',
      text: ({ userAgent }) => userAgent ?? '',
    },
    ...(mayEnd ? [end] : []),
  ]
  return (
    <>
      <RecordList<SessionRecord>
        path={path}
        label={text.sessions}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ id }) => id}
        empty={text.noSessions}
        filters={
          withUser
            ? [
                {
                  name: 'status',
                  label: text.session,
                  options: statuses.map((value) => ({ value, label: text[value] })),
                },
              ]
            : []
        }
      />
      {ending !== null && <EndSession session={ending} onClose={() => setEnding(null)} />}
    </>
  )
}

export const EndSession = ({
  session: { id, userAgent, ip },
  onClose,
}: {
  readonly session: SessionRecord
  readonly onClose: () => void
}) => {
  const text = useTexts(sessionTexts)
  return (
    <CommandDialog
      title={text.endTitle}
      intro={
        <>
          <p>{[userAgent, ip].filter(Boolean).join(', ')}</p>
          <p>{text.endEffect}</p>
        </>
      }
      confirm={text.end}
      dangerous
      done={text.ended}
      command={() => ({ method: 'DELETE', path: `/sessions/${id}` })}
      onClose={onClose}
    />
  )
}
