import { useState } from 'react'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Breakable } from '../kit/breakable.tsx'
import { Button } from '../kit/button.tsx'
import { Facts, LoadedPage, PageHead, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { UserLink } from '../record-links.tsx'
import type { SshCertificateRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { CertificateStatus } from './ssh-certificates.tsx'
import { RevokeCertificate } from './ssh-revoke.tsx'
import { useSshTexts } from './ssh-texts.ts'

export const SshCertificatePage = ({ id }: { readonly id: string }) => {
  const certificate = useRecord<SshCertificateRecord>(`/ssh/certificates/${id}`)
  return <LoadedPage query={certificate}>{(data) => <LoadedCertificate certificate={data} />}</LoadedPage>
}

const LoadedCertificate = ({ certificate }: { readonly certificate: SshCertificateRecord }) => {
  const text = useSshTexts()
  const { at } = useMoment()
  const mayRevoke = useMay('security_admin') && at === null
  const [revoking, setRevoking] = useState(false)
  const { serial, status, revokedAt, revokedBy, sourceAddresses, extensions } = certificate
  return (
    <>
      <PageHead
        title={text.certificate}
        badge={<CertificateStatus status={status} />}
        lead={<UserLink id={certificate.userId} />}
        actions={
          mayRevoke &&
          status === 'valid' && (
            <Button small look="danger" onClick={() => setRevoking(true)}>
              {text.revoke}
            </Button>
          )
        }
      />
      <Section title={text.overview}>
        <Facts
          facts={[
            [text.serial, <code key="serial">{serial}</code>],
            [text.principals, certificate.principals.join(', ')],
            [text.validFrom, <Time key="from" value={certificate.validAfter} />],
            [text.validUntil, <Time key="until" value={certificate.validBefore} />],
            [text.sources, sourceAddresses.join(', ') || text.everywhere],
            [text.extensions, extensions.map((name) => text.extensionNames[name]).join(', ') || text.nothing],
            [
              text.keyId,
              certificate.keyId && (
                <code key="key-id">
                  <Breakable>{certificate.keyId}</Breakable>
                </code>
              ),
            ],
            [text.keyType, certificate.keyType],
            [text.key, <code key="key">{certificate.keyFingerprint}</code>],
            [text.authority, <code key="authority">{certificate.authorityFingerprint}</code>],
            [text.revokedAt, revokedAt && <Time key="revoked" value={revokedAt} />],
            [text.revokedBy, revokedBy && <UserLink key="by" id={revokedBy} />],
            [text.reason, certificate.revokeReason],
          ]}
        />
      </Section>
      <Section title={text.history}>
        <AuditTable path="/audit" fixed={{ targetType: 'ssh_certificate', targetId: serial }} />
      </Section>
      {revoking && (
        <RevokeCertificate certificate={certificate} of="user" onClose={() => setRevoking(false)} />
      )}
    </>
  )
}
