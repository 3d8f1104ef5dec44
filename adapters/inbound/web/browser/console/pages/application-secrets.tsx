import { useState } from 'react'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Copy } from '../kit/copy.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { ClientSecretRecord, CreatedClientSecretRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { applicationTexts } from './application-texts.ts'

const HOUR_SECONDS = 3600

type Asked = 'add' | 'rotate' | ClientSecretRecord

export const ApplicationSecrets = ({
  applicationId,
  mayWrite,
}: {
  readonly applicationId: string
  readonly mayWrite: boolean
}) => {
  const text = useTexts(applicationTexts)
  const common = useTexts(commonTexts)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [created, setCreated] = useState<CreatedClientSecretRecord | null>(null)
  const path = `/applications/${applicationId}/secrets`
  const close = (): void => {
    setAsked(null)
    setCreated(null)
  }
  const columns: readonly Column<ClientSecretRecord>[] = [
    {
      name: 'prefix',
      label: text.prefix,
      cell: ({ prefix }) => <code>{prefix}</code>,
      text: ({ prefix }) => prefix,
    },
    {
      name: 'status',
      label: text.status,
      cell: ({ status }) => (
        <Badge tone={status === 'active' ? 'good' : status === 'expiring' ? 'warn' : 'neutral'}>
          {text[status]}
        </Badge>
      ),
      text: ({ status }) => status,
    },
    {
      name: 'created',
      label: text.created,
      cell: ({ createdAt }) => <Time value={createdAt} relative />,
      text: ({ createdAt }) => createdAt,
    },
    {
      name: 'used',
      label: text.lastUsed,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? common.never : <Time value={lastUsedAt} relative />),
      text: ({ lastUsedAt }) => lastUsedAt ?? '',
    },
    {
      name: 'ends',
      label: text.ends,
      cell: ({ revokedAt, expiresAt }) => {
        const end = revokedAt ?? expiresAt
        return end === null ? common.never : <Time value={end} />
      },
      text: ({ revokedAt, expiresAt }) => revokedAt ?? expiresAt ?? '',
    },
    ...(mayWrite
      ? [
          {
            name: 'revoke',
            label: text.revoke,
            cell: (secret: ClientSecretRecord) =>
              (secret.status === 'active' || secret.status === 'expiring') && (
                <Button small look="danger" onClick={() => setAsked(secret)}>
                  {text.revoke}
                  <span className="visually-hidden"> {secret.prefix}</span>
                </Button>
              ),
          },
        ]
      : []),
  ]
  return (
    <Section
      title={text.secrets}
      hint={text.secretsHint}
      actions={
        mayWrite && (
          <>
            <Button onClick={() => setAsked('add')}>{text.addSecret}</Button>
            <Button onClick={() => setAsked('rotate')}>{text.rotate}</Button>
          </>
        )
      }
    >
      <RecordList<ClientSecretRecord>
        path={path}
        label={text.secrets}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ prefix }) => prefix}
        empty={text.noSecrets}
      />
      {created !== null && (
        <Dialog title={text.newSecret} onClose={close}>
          <Copy label={text.newSecret} value={created.clientSecret} once />
          <div className="actions">
            <Button look="primary" onClick={close}>
              {common.close}
            </Button>
          </div>
        </Dialog>
      )}
      {created === null && asked === 'add' && (
        <CommandDialog<CreatedClientSecretRecord>
          title={text.addSecret}
          intro={<p>{text.addSecretEffect}</p>}
          confirm={text.addSecret}
          done={text.secretCreated}
          command={() => ({ method: 'POST', path, body: {} })}
          onClose={close}
          onDone={setCreated}
        />
      )}
      {created === null && asked === 'rotate' && (
        <RotateDialog applicationId={applicationId} onClose={close} onDone={setCreated} />
      )}
      {asked !== null && typeof asked === 'object' && (
        <CommandDialog
          title={text.revokeTitle}
          intro={
            <p>
              <code>{asked.prefix}</code> {text.revokeEffect}
            </p>
          }
          confirm={text.revoke}
          dangerous
          done={text.secretRevoked}
          command={() => ({ method: 'DELETE', path: `${path}/${asked.id}` })}
          onClose={close}
        />
      )}
    </Section>
  )
}

const RotateDialog = ({
  applicationId,
  onClose,
  onDone,
}: {
  readonly applicationId: string
  readonly onClose: () => void
  readonly onDone: (secret: CreatedClientSecretRecord) => void
}) => {
  const text = useTexts(applicationTexts)
  const [hours, setHours] = useState('24')
  return (
    <CommandDialog<CreatedClientSecretRecord>
      title={text.rotateTitle}
      intro={<p>{text.rotateEffect}</p>}
      confirm={text.rotate}
      dangerous
      done={text.secretCreated}
      command={() => ({
        method: 'POST',
        path: `/applications/${applicationId}/secret/rotate`,
        body: { graceSeconds: Math.round(Number(hours) * HOUR_SECONDS) },
      })}
      onClose={onClose}
      onDone={onDone}
      names={['graceSeconds']}
      fields={(errorOf) => (
        <TextField
          name="graceSeconds"
          type="number"
          label={text.graceHours}
          value={hours}
          onChange={setHours}
          error={errorOf('graceSeconds')}
        />
      )}
    />
  )
}
