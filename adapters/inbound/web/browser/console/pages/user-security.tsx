import { useState } from 'react'
import { useRecord, type Command } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { RecordList, type Column } from '../kit/list.tsx'
import { Loaded, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { DeviceRecord, LinkedAccountRecord, SessionRecord, SignInMethodRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { userTexts } from './user-texts.ts'

interface Removal {
  readonly title: string
  readonly effect: string
  readonly command: Command
}

/** How a user signs in, and where they are signed in. */
export const UserSecurity = ({ userId }: { readonly userId: string }) => {
  const text = useTexts(userTexts)
  const mayHelp = useMay('user_admin', 'helpdesk_admin', 'security_admin')
  const mayUnlink = useMay('user_admin', 'security_admin')
  const [removal, setRemoval] = useState<Removal | null>(null)
  const remove = (title: string, effect: string, path: string): void =>
    setRemoval({ title, effect, command: { method: 'DELETE', path } })
  return (
    <>
      <Methods
        userId={userId}
        remove={
          mayHelp
            ? (id) => remove(text.removeMethod, text.removeMethodEffect, `/users/${userId}/methods/${id}`)
            : null
        }
      />
      <LinkedAccounts
        userId={userId}
        unlink={
          mayUnlink
            ? (id) => remove(text.unlink, text.unlinkEffect, `/users/${userId}/linked-accounts/${id}`)
            : null
        }
      />
      <Sessions userId={userId} />
      <Devices userId={userId} />
      {removal !== null && (
        <CommandDialog
          title={removal.title}
          intro={<p>{removal.effect}</p>}
          confirm={text.removeIt}
          dangerous
          done={text.removedIt}
          command={() => removal.command}
          onClose={() => setRemoval(null)}
        />
      )}
    </>
  )
}

const Methods = ({
  userId,
  remove,
}: {
  readonly userId: string
  readonly remove: ((id: string) => void) | null
}) => {
  const text = useTexts(userTexts)
  const common = useTexts(commonTexts)
  const methods = useRecord<readonly SignInMethodRecord[]>(`/users/${userId}/methods`)
  return (
    <Section title={text.methods}>
      <Loaded query={methods}>
        {(items) =>
          items.length === 0 ? (
            <p className="hint">{text.noMethods}</p>
          ) : (
            <ul>
              {items.map(({ id, type, name, createdAt, lastUsedAt }) => (
                <li key={id}>
                  <strong>{name ?? text[type]}</strong> {text[type]} · {text.created}{' '}
                  <Time value={createdAt} relative /> · {text.lastUsed}{' '}
                  {lastUsedAt === null ? common.never : <Time value={lastUsedAt} relative />}{' '}
                  {remove !== null && (
                    <Button small look="danger" onClick={() => remove(id)}>
                      {text.removeMethod}
                      <span className="visually-hidden"> {name ?? text[type]}</span>
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

const LinkedAccounts = ({
  userId,
  unlink,
}: {
  readonly userId: string
  readonly unlink: ((id: string) => void) | null
}) => {
  const text = useTexts(userTexts)
  const accounts = useRecord<readonly LinkedAccountRecord[]>(`/users/${userId}/linked-accounts`)
  return (
    <Loaded query={accounts}>
      {(items) =>
        items.length > 0 && (
          <Section title={text.linkedAccounts}>
            <ul>
              {items.map(({ id, identityProviderId, email, linkedAt }) => (
                <li key={id}>
                  <strong>{email ?? identityProviderId}</strong> · <Time value={linkedAt} relative />{' '}
                  {unlink !== null && (
                    <Button small look="danger" onClick={() => unlink(id)}>
                      {text.unlink}
                      <span className="visually-hidden"> {email ?? identityProviderId}</span>
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </Section>
        )
      }
    </Loaded>
  )
}

const Sessions = ({ userId }: { readonly userId: string }) => {
  const text = useTexts(userTexts)
  const columns: readonly Column<SessionRecord>[] = [
    {
      name: 'status',
      label: text.session,
      cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'neutral'}>{text[status]}</Badge>,
    },
    { name: 'created', label: text.created, cell: ({ createdAt }) => <Time value={createdAt} relative /> },
    { name: 'seen', label: text.lastSeen, cell: ({ lastSeenAt }) => <Time value={lastSeenAt} relative /> },
    {
      name: 'ip',
      label: text.address,
      cell: ({ ip, location }) => [ip, location].filter(Boolean).join(', '),
    },
    { name: 'device', label: text.browser, cell: ({ userAgent }) => userAgent ?? '' },
  ]
  return (
    <Section title={text.sessions}>
      <RecordList<SessionRecord>
        path={`/users/${userId}/sessions`}
        label={text.sessions}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ id }) => id}
        empty={text.noSessions}
      />
    </Section>
  )
}

const Devices = ({ userId }: { readonly userId: string }) => {
  const text = useTexts(userTexts)
  const columns: readonly Column<DeviceRecord>[] = [
    { name: 'name', label: text.device, cell: ({ name }) => name, text: ({ name }) => name },
    {
      name: 'status',
      label: text.session,
      cell: ({ status }) => (
        <Badge tone={status === 'trusted' ? 'good' : status === 'blocked' ? 'bad' : 'neutral'}>
          {text[status]}
        </Badge>
      ),
      text: ({ status }) => status,
    },
    { name: 'seen', label: text.lastSeen, cell: ({ lastSeenAt }) => <Time value={lastSeenAt} relative /> },
    {
      name: 'ip',
      label: text.address,
      cell: ({ lastIp, location }) => [lastIp, location].filter(Boolean).join(', '),
      text: ({ lastIp }) => lastIp ?? '',
    },
  ]
  return (
    <Section title={text.devices}>
      <RecordList<DeviceRecord>
        path={`/users/${userId}/devices`}
        label={text.devices}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        empty={text.noDevices}
      />
    </Section>
  )
}
