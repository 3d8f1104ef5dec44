/** Devices, and what security administrators do with one: trust, block, remove. */
import { useState } from 'react'
import { Badge } from './kit/badge.tsx'
import { Button } from './kit/button.tsx'
import { ActionDialog } from './kit/action-dialog.tsx'
import { PageLink } from './kit/link.tsx'
import { RecordList, type Column } from './kit/list.tsx'
import type { RecordAction } from './kit/record-action.ts'
import { Time } from './kit/time.tsx'
import { useMoment } from './moment.tsx'
import { userTexts } from './pages/user-texts.ts'
import type { DeviceRecord } from './records.ts'
import { useMay } from './session.tsx'
import { texts, useTexts } from './text.tsx'

export const deviceTexts = texts({
  en: {
    user: 'User',
    actions: 'Actions',
    trust: 'Trust',
    trustEffect: 'The device counts as trusted until an administrator changes this.',
    untrust: 'Stop trusting',
    untrustEffect: 'The device no longer counts as trusted. Its sessions continue.',
    block: 'Block',
    blockEffect: 'Its sessions end immediately, and nobody can sign in on it until it is unblocked.',
    unblock: 'Unblock',
    unblockEffect: 'Users can sign in on the device again.',
    remove: 'Remove',
    removeEffect:
      'Its sessions end immediately, and the service forgets the device. It is new at the next sign-in.',
    done: 'The device was changed',
    counted: (count: number) => (count === 1 ? '1 device' : `${String(count)} devices`),
  },
  de: {
    user: 'Benutzer',
    actions: 'Aktionen',
    trust: 'Vertrauen',
    trustEffect: 'Das Gerät gilt als vertrauenswürdig, bis ein Administrator das ändert.',
    untrust: 'Vertrauen entziehen',
    untrustEffect: 'Das Gerät gilt nicht mehr als vertrauenswürdig. Seine Sitzungen laufen weiter.',
    block: 'Sperren',
    blockEffect:
      'Seine Sitzungen enden sofort, und niemand kann sich auf ihm anmelden, bis es entsperrt wird.',
    unblock: 'Entsperren',
    unblockEffect: 'Benutzer können sich wieder auf dem Gerät anmelden.',
    remove: 'Entfernen',
    removeEffect:
      'Seine Sitzungen enden sofort, und der Dienst vergisst das Gerät. Bei der nächsten Anmeldung ist es neu.',
    done: 'Das Gerät wurde geändert',
    counted: (count: number) => (count === 1 ? '1 Gerät' : `${String(count)} Geräte`),
  },
})

export type DeviceAction = 'trust' | 'untrust' | 'block' | 'unblock' | 'remove'

const statuses = ['registered', 'trusted', 'blocked', 'removed'] as const satisfies DeviceRecord['status'][]

/** What can be done with a device in each status. */
export const deviceActions: Readonly<Record<DeviceRecord['status'], readonly DeviceAction[]>> = {
  registered: ['trust', 'block', 'remove'],
  trusted: ['untrust', 'block', 'remove'],
  blocked: ['unblock', 'remove'],
  removed: [],
}

const effects = {
  trust: 'trustEffect',
  untrust: 'untrustEffect',
  block: 'blockEffect',
  unblock: 'unblockEffect',
  remove: 'removeEffect',
} as const satisfies Record<DeviceAction, string>

const names = Object.keys(effects) as readonly DeviceAction[]

const useDeviceActions = (): Readonly<Record<DeviceAction, RecordAction<DeviceRecord>>> => {
  const text = useTexts(deviceTexts)
  const of = (name: DeviceAction): RecordAction<DeviceRecord> => ({
    label: text[name],
    roles: ['security_admin'],
    applies: ({ status }) => deviceActions[status].includes(name),
    dangerous: name !== 'trust' && name !== 'unblock',
    effect: text[effects[name]],
    command: ({ id }) =>
      name === 'remove'
        ? { method: 'DELETE', path: `/devices/${id}` }
        : { method: 'POST', path: `/devices/${id}/${name}`, ...(name === 'trust' ? { body: {} } : {}) },
  })
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<
    DeviceAction,
    RecordAction<DeviceRecord>
  >
}

export const DeviceStatus = ({ status }: Pick<DeviceRecord, 'status'>) => {
  const text = useTexts(userTexts)
  return (
    <Badge tone={status === 'trusted' ? 'good' : status === 'blocked' ? 'bad' : 'neutral'}>
      {text[status]}
    </Badge>
  )
}

/** @param withUser whether the list is about several users */
export const DeviceTable = ({
  path,
  withUser = false,
}: {
  readonly path: string
  readonly withUser?: boolean
}) => {
  const text = useTexts(userTexts)
  const own = useTexts(deviceTexts)
  const actionsByName = useDeviceActions()
  const { at } = useMoment()
  const mayChange = useMay('security_admin') && at === null
  const [asked, setAsked] = useState<{ readonly action: DeviceAction; readonly device: DeviceRecord } | null>(
    null,
  )
  const user: Column<DeviceRecord> = {
    name: 'user',
    label: own.user,
    cell: ({ userId, userName }) => (
      <PageLink to={`/console/users/${userId}?tab=security`}>{userName === '' ? userId : userName}</PageLink>
    ),
    text: ({ userId, userName }) => (userName === '' ? userId : userName),
  }
  const actions: Column<DeviceRecord> = {
    name: 'actions',
    label: own.actions,
    cell: (device) =>
      deviceActions[device.status].map((action) => (
        <Button
          key={action}
          small
          look={action === 'trust' || action === 'unblock' ? 'quiet' : 'danger'}
          onClick={() => setAsked({ action, device })}
        >
          {own[action]}
          <span className="visually-hidden"> {device.name}</span>
        </Button>
      )),
  }
  const columns: readonly Column<DeviceRecord>[] = [
    {
      name: 'name',
      label: text.device,
      cell: ({ id, name }) => <PageLink to={`/console/devices/${id}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    ...(withUser ? [user] : []),
    {
      name: 'status',
      label: text.session,
      cell: ({ status }) => <DeviceStatus status={status} />,
      text: ({ status }) => status,
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
      cell: ({ lastIp, location }) => [lastIp, location].filter(Boolean).join(', '),
      text: ({ lastIp }) => lastIp ?? '',
    },
    ...(mayChange ? [actions] : []),
  ]
  return (
    <>
      <RecordList<DeviceRecord>
        path={path}
        label={text.devices}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name, userName }) => (withUser && userName !== '' ? `${name}, ${userName}` : name)}
        bulk={{ counted: own.counted, actions: Object.values(actionsByName) }}
        empty={text.noDevices}
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
      {asked !== null && <DeviceDialog {...asked} onClose={() => setAsked(null)} />}
    </>
  )
}

export const DeviceDialog = ({
  action,
  device,
  onClose,
}: {
  readonly action: DeviceAction
  readonly device: DeviceRecord
  readonly onClose: () => void
}) => {
  const text = useTexts(deviceTexts)
  return (
    <ActionDialog
      action={useDeviceActions()[action]}
      item={device}
      title={`${text[action]}: ${device.name}`}
      done={text.done}
      onClose={onClose}
    />
  )
}
