import { useState } from 'react'
import { useLocation } from 'wouter'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { TextArea } from '../kit/field.tsx'
import { Facts, LoadedPage, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { ApplicationLink } from '../record-links.tsx'
import type { SharedSignalsStreamRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { StreamStatus } from './shared-signals.tsx'
import { deliveryTexts, sharedSignalsTexts, signalTexts } from './shared-signals-texts.ts'

type Turn = 'enable' | 'pause' | 'disable'
type Action = Turn | 'remove'

const statusAfter = { enable: 'enabled', pause: 'paused', disable: 'disabled' } as const

const turnsFrom: Readonly<Record<SharedSignalsStreamRecord['status'], readonly Turn[]>> = {
  enabled: ['pause', 'disable'],
  paused: ['enable', 'disable'],
  disabled: ['enable'],
}

export const SharedSignalsStreamPage = ({ id }: { readonly id: string }) => {
  const stream = useRecord<SharedSignalsStreamRecord>(`/shared-signals-streams/${id}`)
  return <LoadedPage query={stream}>{(data) => <LoadedStream stream={data} />}</LoadedPage>
}

const LoadedStream = ({ stream }: { readonly stream: SharedSignalsStreamRecord }) => {
  const text = useTexts(sharedSignalsTexts)
  const deliveries = useTexts(deliveryTexts)
  const signals: Readonly<Record<string, string>> = useTexts(signalTexts)
  const { at } = useMoment()
  const mayWrite = useMay('security_admin', 'app_admin') && at === null
  const [action, setAction] = useState<Action | null>(null)
  const { id, applicationId, applicationName, status, eventsRequested } = stream
  const offered: readonly Action[] = mayWrite ? [...turnsFrom[status], 'remove'] : []
  return (
    <>
      <PageHead
        title={applicationName === '' ? applicationId : applicationName}
        badge={<StreamStatus status={status} />}
        lead={stream.description ?? undefined}
        actions={offered.map((name) => (
          <Button
            key={name}
            small
            look={name === 'enable' ? 'plain' : 'danger'}
            onClick={() => setAction(name)}
          >
            {text[name]}
          </Button>
        ))}
      />
      <Section title={text.details}>
        <Facts
          facts={[
            [text.application, <ApplicationLink key="application" id={applicationId} />],
            [text.delivery, deliveries[stream.method]],
            [text.endpoint, stream.endpointUrl],
            [text.by, text[stream.statusBy]],
            [text.reason, stream.statusReason],
            [text.pending, stream.pending],
            [text.last, stream.lastDeliveredAt && <Time key="last" value={stream.lastDeliveredAt} />],
            [text.lastError, stream.lastError],
            [text.createdAt, <Time key="created" value={stream.createdAt} />],
            [text.streamId, <code key="id">{id}</code>],
          ]}
        />
      </Section>
      <Section title={text.events}>
        {eventsRequested.length === 0 ? (
          <p className="hint">{text.noEvents}</p>
        ) : (
          <ul>
            {eventsRequested.map((uri) => (
              <li key={uri}>{signals[uri.slice(uri.lastIndexOf('/') + 1)] ?? uri}</li>
            ))}
          </ul>
        )}
      </Section>
      <Section title={text.history}>
        <AuditTable path="/audit" fixed={{ targetType: 'shared_signals_stream', targetId: id }} />
      </Section>
      {action !== null && <StreamDialog action={action} id={id} onClose={() => setAction(null)} />}
    </>
  )
}

const StreamDialog = ({
  action,
  id,
  onClose,
}: {
  readonly action: Action
  readonly id: string
  readonly onClose: () => void
}) => {
  const text = useTexts(sharedSignalsTexts)
  const [, setLocation] = useLocation()
  const [reason, setReason] = useState('')
  const path = `/shared-signals-streams/${id}`
  const common = {
    title: text[action],
    intro: <p>{text[`${action}Effect`]}</p>,
    confirm: text[action],
    dangerous: action !== 'enable',
    onClose,
  }
  if (action === 'remove')
    return (
      <CommandDialog
        {...common}
        done={text.removed}
        command={() => ({ method: 'DELETE', path })}
        onDone={() => setLocation('/console/shared-signals')}
      />
    )
  return (
    <CommandDialog
      {...common}
      done={text.done}
      command={() => ({
        method: 'PATCH',
        path,
        body: {
          status: statusAfter[action],
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        },
      })}
      names={['reason']}
      fields={(errorOf) => (
        <TextArea
          name="reason"
          label={text.reason}
          hint={text.reasonHint}
          value={reason}
          onChange={setReason}
          error={errorOf('reason')}
        />
      )}
    />
  )
}
