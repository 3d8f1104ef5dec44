import { useState } from 'react'
import { useLocation } from 'wouter'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { SearchDialog } from '../kit/picker.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { ApplicationRecord, ProvisioningRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { ProvisioningSettings } from './provisioning-dialogs.tsx'
import { provisioningTexts } from './provisioning-texts.ts'

const tones = {
  off: 'neutral',
  ok: 'good',
  partial: 'warn',
  error: 'bad',
  paused: 'warn',
  never_run: 'neutral',
  unreadable: 'bad',
} as const satisfies Readonly<Record<string, Tone>>

const statusOf = ({ enabled, tokenReadable, status, counts }: ProvisioningRecord): keyof typeof tones => {
  if (!enabled) return 'off'
  if (!tokenReadable) return 'unreadable'
  return status === 'ok' && counts.errors > 0 ? 'partial' : status
}

export const ProvisioningStatus = ({ provisioning }: { readonly provisioning: ProvisioningRecord }) => {
  const text = useTexts(provisioningTexts)
  const status = statusOf(provisioning)
  return <Badge tone={tones[status]}>{text[status]}</Badge>
}

export const ProvisioningPage = () => {
  const text = useTexts(provisioningTexts)
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('app_admin') && at === null
  const [adding, setAdding] = useState(false)
  const columns: readonly Column<ProvisioningRecord>[] = [
    {
      name: 'application',
      label: text.application,
      cell: ({ applicationId, applicationName }) => (
        <PageLink to={`/console/provisioning/${applicationId}`}>{applicationName}</PageLink>
      ),
      text: ({ applicationName }) => applicationName,
    },
    {
      name: 'status',
      label: text.status,
      cell: (provisioning) => <ProvisioningStatus provisioning={provisioning} />,
      text: statusOf,
    },
    {
      name: 'linked',
      label: text.linked,
      cell: ({ counts }) => counts.linked,
      text: ({ counts }) => String(counts.linked),
    },
    {
      name: 'pendingCreate',
      label: text.pendingCreate,
      cell: ({ counts }) => counts.pendingCreate,
      text: ({ counts }) => String(counts.pendingCreate),
    },
    {
      name: 'errors',
      label: text.errors,
      cell: ({ counts }) => counts.errors,
      text: ({ counts }) => String(counts.errors),
    },
    {
      name: 'lastSync',
      label: text.lastSync,
      cell: ({ lastSyncAt }) => (lastSyncAt === null ? common.never : <Time value={lastSyncAt} relative />),
      text: ({ lastSyncAt }) => lastSyncAt ?? '',
    },
    { name: 'baseUrl', label: text.baseUrl, cell: ({ baseUrl }) => baseUrl, text: ({ baseUrl }) => baseUrl },
  ]
  return (
    <>
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          mayWrite && (
            <Button look="primary" onClick={() => setAdding(true)}>
              {text.setUp}
            </Button>
          )
        }
      />
      <RecordList<ProvisioningRecord>
        path="/provisioning/applications"
        label={text.title}
        columns={columns}
        keyOf={({ applicationId }) => applicationId}
        nameOf={({ applicationName }) => applicationName}
        empty={text.empty}
      />
      {adding && <SetUpProvisioning onClose={() => setAdding(false)} />}
    </>
  )
}

const SetUpProvisioning = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(provisioningTexts)
  const [, setLocation] = useLocation()
  const [chosen, setChosen] = useState<ApplicationRecord | null>(null)
  if (chosen !== null)
    return (
      <ProvisioningSettings
        applicationId={chosen.id}
        name={chosen.name}
        current={null}
        onClose={onClose}
        onDone={() => setLocation(`/console/provisioning/${chosen.id}`)}
      />
    )
  return (
    <SearchDialog<ApplicationRecord>
      title={text.setUp}
      intro={text.setUpIntro}
      path="/applications"
      query={{ status: 'active' }}
      empty={text.noApplications}
      action={(application) =>
        !application.builtIn && (
          <Button small onClick={() => setChosen(application)}>
            {text.choose}
            <span className="visually-hidden"> {application.name}</span>
          </Button>
        )
      }
      onClose={onClose}
    />
  )
}
