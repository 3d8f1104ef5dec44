/** Revoking SSH certificates of users and of hosts, alone or with others. */
import { ActionDialog } from '../kit/action-dialog.tsx'
import type { RecordAction } from '../kit/record-action.ts'
import type { SshCertificateRecord, SshHostCertificateRecord } from '../records.ts'
import { useSshTexts } from './ssh-texts.ts'

type Certificate = Pick<SshCertificateRecord | SshHostCertificateRecord, 'serial' | 'status'>
type Holder = 'user' | 'host'

export const useRevokeCertificate = (holder: Holder): RecordAction<Certificate> => {
  const text = useSshTexts()
  const path = holder === 'user' ? '/ssh/certificates' : '/ssh/host-certificates'
  return {
    label: text.revoke,
    roles: ['security_admin'],
    applies: ({ status }) => status === 'valid',
    dangerous: true,
    effect: holder === 'user' ? text.revokeEffect : text.revokeHostEffect,
    input: { name: 'reason', label: text.reason, hint: text.reasonHint },
    command: ({ serial }, reason) => ({
      method: 'POST',
      path: `${path}/${serial}/revoke`,
      body: reason === '' ? {} : { reason },
    }),
  }
}

export const RevokeCertificate = ({
  certificate,
  of,
  onClose,
}: {
  readonly certificate: Certificate
  readonly of: Holder
  readonly onClose: () => void
}) => {
  const text = useSshTexts()
  return (
    <ActionDialog
      action={useRevokeCertificate(of)}
      item={certificate}
      title={text.revokeTitle}
      done={text.revoked}
      onClose={onClose}
    />
  )
}
