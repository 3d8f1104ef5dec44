/** Sessions, and ending one. */
import { useState } from 'react'
import { Badge } from './kit/badge.tsx'
import { Button } from './kit/button.tsx'
import { ActionDialog } from './kit/action-dialog.tsx'
import { PageLink } from './kit/link.tsx'
import { RecordList, type Column } from './kit/list.tsx'
import { useAllowed, type RecordAction } from './kit/record-action.ts'
import { Time } from './kit/time.tsx'
import { userTexts } from './pages/user-texts.ts'
import type { SessionRecord } from './records.ts'
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
    counted: (count: number) => (count === 1 ? '1 session' : `${String(count)} sessions`),
  },
  de: {
    user: 'Benutzer',
    end: 'Beenden',
    endTitle: 'Diese Sitzung beenden',
    endEffect:
      'Der Benutzer wird dort abgemeldet, und die Tokens, die Anwendungen durch diese Sitzung haben, gelten sofort nicht mehr.',
    ended: 'Die Sitzung wurde beendet',
    expires: 'Endet',
    counted: (count: number) => (count === 1 ? '1 Sitzung' : `${String(count)} Sitzungen`),
  },
})

const statuses = ['active', 'expired', 'ended', 'revoked'] as const satisfies SessionRecord['status'][]

export const useEndSession = (): RecordAction<SessionRecord> => {
  const text = useTexts(sessionTexts)
  return {
    label: text.end,
    roles: ['security_admin', 'helpdesk_admin', 'user_admin'],
    applies: ({ status }) => status === 'active',
    dangerous: true,
    effect: text.endEffect,
    command: ({ id }) => ({ method: 'DELETE', path: `/sessions/${id}` }),
  }
}

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
  const action = useEndSession()
  const mayEnd = useAllowed([action]).length > 0
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
      action.applies(session) && (
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
        nameOf={({ id, userName, userAgent, ip }) =>
          [withUser ? userName : '', userAgent, ip].filter(Boolean).join(', ') || id
        }
        bulk={{ counted: own.counted, actions: [action] }}
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
  session,
  onClose,
}: {
  readonly session: SessionRecord
  readonly onClose: () => void
}) => {
  const text = useTexts(sessionTexts)
  return (
    <ActionDialog
      action={useEndSession()}
      item={session}
      title={text.endTitle}
      detail={<p>{[session.userAgent, session.ip].filter(Boolean).join(', ')}</p>}
      done={text.ended}
      onClose={onClose}
    />
  )
}
