import { useState } from 'react'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import {
  DeviceDialog,
  DeviceStatus,
  deviceActions,
  deviceTexts,
  type DeviceAction,
} from '../device-table.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { TextField } from '../kit/field.tsx'
import { Facts, LoadedPage, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { UserLink } from '../record-links.tsx'
import type { DeviceRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { texts, useTexts } from '../text.tsx'
import { platformChoices } from './policy-choice-texts.ts'
import { userTexts } from './user-texts.ts'

const recordTexts = texts({
  en: {
    title: 'Device',
    rename: 'Rename',
    renameEffect: 'The user sees the new name too.',
    renamed: 'The device was renamed',
    name: 'Name',
    system: 'System',
    browser: 'Browser',
    userAgent: 'User agent',
    firstSeen: 'First used',
    address: 'Last address',
    location: 'Location',
    trustedAt: 'Trusted since',
    trustedBy: 'Trusted by',
    trustExpiresAt: 'Trusted until',
    deviceId: 'Device id',
    history: 'History',
  },
  de: {
    title: 'Gerät',
    rename: 'Umbenennen',
    renameEffect: 'Auch der Benutzer sieht den neuen Namen.',
    renamed: 'Das Gerät wurde umbenannt',
    name: 'Name',
    system: 'System',
    browser: 'Browser',
    userAgent: 'User-Agent',
    firstSeen: 'Zuerst benutzt',
    address: 'Letzte Adresse',
    location: 'Ort',
    trustedAt: 'Vertrauenswürdig seit',
    trustedBy: 'Vertraut durch',
    trustExpiresAt: 'Vertrauenswürdig bis',
    deviceId: 'Gerätekennung',
    history: 'Verlauf',
  },
})

export const DevicePage = ({ id }: { readonly id: string }) => {
  const device = useRecord<DeviceRecord>(`/devices/${id}`)
  return <LoadedPage query={device}>{(data) => <LoadedDevice device={data} />}</LoadedPage>
}

const LoadedDevice = ({ device }: { readonly device: DeviceRecord }) => {
  const text = useTexts(userTexts)
  const own = useTexts(recordTexts)
  const table = useTexts(deviceTexts)
  const platforms = useTexts(platformChoices)
  const { at } = useMoment()
  const mayChange = useMay('security_admin') && at === null && device.status !== 'removed'
  const [action, setAction] = useState<DeviceAction | 'rename' | null>(null)
  const close = (): void => setAction(null)
  const { id, name, userId, status, trustedAt, trustedBy, trustExpiresAt } = device
  return (
    <>
      <PageHead
        title={name}
        badge={<DeviceStatus status={status} />}
        lead={<UserLink id={userId} />}
        actions={
          mayChange && (
            <>
              <Button small onClick={() => setAction('rename')}>
                {own.rename}
              </Button>
              {deviceActions[status].map((one) => (
                <Button
                  key={one}
                  small
                  look={one === 'trust' || one === 'unblock' ? 'plain' : 'danger'}
                  onClick={() => setAction(one)}
                >
                  {table[one]}
                </Button>
              ))}
            </>
          )
        }
      />
      <Section title={own.title}>
        <Facts
          facts={[
            [own.system, [platforms[device.platform], device.osVersion].filter(Boolean).join(' ')],
            [own.browser, device.browser],
            [own.userAgent, device.userAgent],
            [own.firstSeen, <Time key="first" value={device.firstSeenAt} />],
            [text.lastSeen, <Time key="seen" value={device.lastSeenAt} relative />],
            [own.address, device.lastIp],
            [own.location, device.location],
            [own.trustedAt, trustedAt && <Time key="trusted" value={trustedAt} />],
            [own.trustedBy, trustedBy && <UserLink key="by" id={trustedBy} />],
            [own.trustExpiresAt, trustExpiresAt && <Time key="until" value={trustExpiresAt} />],
            [own.deviceId, <code key="id">{id}</code>],
          ]}
        />
      </Section>
      <Section title={own.history}>
        <AuditTable path="/audit" fixed={{ targetType: 'device', targetId: id }} />
      </Section>
      {action === 'rename' && <RenameDevice device={device} onClose={close} />}
      {action !== null && action !== 'rename' && (
        <DeviceDialog action={action} device={device} onClose={close} />
      )}
    </>
  )
}

const RenameDevice = ({
  device,
  onClose,
}: {
  readonly device: DeviceRecord
  readonly onClose: () => void
}) => {
  const text = useTexts(recordTexts)
  const common = useTexts(commonTexts)
  const [name, setName] = useState(device.name)
  return (
    <CommandDialog
      title={`${text.rename}: ${device.name}`}
      intro={<p>{text.renameEffect}</p>}
      confirm={common.save}
      done={text.renamed}
      command={() => ({ method: 'PATCH', path: `/devices/${device.id}`, body: { name: name.trim() } })}
      onClose={onClose}
      names={['name']}
      fields={(errorOf) => (
        <TextField
          name="name"
          label={text.name}
          value={name}
          onChange={setName}
          error={errorOf('name')}
          required
          autoFocus
        />
      )}
    />
  )
}
