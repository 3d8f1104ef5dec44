import { Badge, type Tone } from '../kit/badge.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { SshCertificateRecord } from '../records.ts'
import { useRevokeCertificate } from './ssh-revoke.tsx'
import { useSshTexts } from './ssh-texts.ts'

const tones: Readonly<Record<SshCertificateRecord['status'], Tone>> = {
  valid: 'good',
  revoked: 'bad',
  expired: 'neutral',
}

export const CertificateStatus = ({ status }: Pick<SshCertificateRecord, 'status'>) => {
  const { statuses } = useSshTexts()
  return <Badge tone={tones[status]}>{statuses[status]}</Badge>
}

export const SshCertificatesPage = () => {
  const text = useSshTexts()
  const revoke = useRevokeCertificate('user')
  const columns: readonly Column<SshCertificateRecord>[] = [
    {
      name: 'issued',
      label: text.issued,
      cell: ({ serial, createdAt }) => (
        <PageLink to={`/console/ssh-certificates/${serial}`}>
          <Time value={createdAt} />
        </PageLink>
      ),
      text: ({ createdAt }) => createdAt,
    },
    {
      name: 'user',
      label: text.user,
      cell: ({ userId, userName }) => (
        <PageLink to={`/console/users/${userId}`}>{userName || <code>{userId}</code>}</PageLink>
      ),
      text: ({ userName }) => userName,
    },
    {
      name: 'principals',
      label: text.principals,
      cell: ({ principals }) => principals.join(', '),
      text: ({ principals }) => principals.join(', '),
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
      <PageHead title={text.certificates} lead={text.certificatesLead} />
      <RecordList<SshCertificateRecord>
        path="/ssh/certificates"
        label={text.certificates}
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
