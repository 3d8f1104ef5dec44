import { useState } from 'react'
import { useRecord, type Command } from '../api.ts'
import { DeviceTable } from '../device-table.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Loaded, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { LinkedAccountRecord, SignInMethodRecord } from '../records.ts'
import { SessionTable } from '../session-table.tsx'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { RiskEventTable } from './risk-events.tsx'
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
      <Section title={text.riskEvents}>
        <RiskEventTable fixed={{ userId }} />
      </Section>
      <Section title={text.sessions}>
        <SessionTable path={`/users/${userId}/sessions`} />
      </Section>
      <Section title={text.devices}>
        <DeviceTable path={`/users/${userId}/devices`} />
      </Section>
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
