import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { SshHostCertificateRecord } from '../records.ts'
import { CertificateStatus } from './ssh-certificates.tsx'
import { useRevokeCertificate } from './ssh-revoke.tsx'
import { useSshTexts } from './ssh-texts.ts'

export const SshHostCertificatesPage = () => {
  const text = useSshTexts()
  const revoke = useRevokeCertificate('host')
  const columns: readonly Column<SshHostCertificateRecord>[] = [
    {
      name: 'issued',
      label: text.issued,
      cell: ({ serial, createdAt }) => (
        <PageLink to={`/console/ssh-host-certificates/${serial}`}>
          <Time value={createdAt} />
        </PageLink>
      ),
      text: ({ createdAt }) => createdAt,
    },
    {
      name: 'hosts',
      label: text.hostNames,
      cell: ({ hostNames }) => hostNames.join(', '),
      text: ({ hostNames }) => hostNames.join(', '),
    },
    {
      name: 'account',
      label: text.serviceAccount,
      cell: ({ serviceAccountId, serviceAccountName }) => (
        <PageLink to={`/console/service-accounts/${serviceAccountId}`}>{serviceAccountName}</PageLink>
      ),
      text: ({ serviceAccountName }) => serviceAccountName,
    },
    {
      name: 'validUntil',
      label: text.validUntil,
      cell: ({ validBefore }) => <Time value={validBefore} />,
      text: ({ validBefore }) => validBefore,
    },
    {
      name: 'status',
      label: text.status,
      cell: ({ status }) => <CertificateStatus status={status} />,
      text: ({ status }) => text.statuses[status],
    },
    {
      name: 'serial',
      label: text.serial,
      cell: ({ serial }) => <code>{serial}</code>,
      text: ({ serial }) => serial,
    },
  ]
  return (
    <>
      <PageHead title={text.hostCertificates} lead={text.hostCertificatesLead} />
      <RecordList<SshHostCertificateRecord>
        path="/ssh/host-certificates"
        label={text.hostCertificates}
        columns={columns}
        keyOf={({ serial }) => serial}
        nameOf={({ serial }) => serial}
        empty={text.noCertificates}
        bulk={{ counted: text.counted, actions: [revoke] }}
        filters={[
          {
            name: 'status',
            label: text.status,
            options: Object.entries(text.statuses).map(([value, label]) => ({ value, label })),
          },
        ]}
      />
    </>
  )
}
