import { change, type Table } from '../table.ts'

const self = (event: { data: { serial: string } }) => ({ id: event.data.serial })
const ofUser = (event: { data: { userId: string } }) => ({ user_id: event.data.userId })

export const sshCertificates: Table = {
  name: 'ssh_certificates',
  key: ['id'],
  on: {
    'ssh_certificate.issued': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          id: data.serial,
          user_id: data.userId,
          // Missing after the user was erased.
          key_id: (data as Partial<typeof data>).keyId ?? null,
          key_type: data.keyType,
          key_fingerprint: data.keyFingerprint,
          authority_fingerprint: data.authorityFingerprint,
          principals: data.principals,
          source_addresses: data.sourceAddresses,
          extensions: data.extensions,
          valid_after: data.validAfter,
          valid_before: data.validBefore,
          created_at: metadata.time,
          revoked_at: null,
          revoked_by: null,
          revoke_reason: null,
        })
      },
    },
    'ssh_certificate.revoked': change(self, ({ data, metadata }) => ({
      revoked_at: metadata.time,
      revoked_by: metadata.actorId,
      revoke_reason: (data as Partial<typeof data>).reason ?? null,
    })),
    'user.erased': {
      reads: (event) => [ofUser(event)],
      apply: (event, rows) => {
        rows.patch(ofUser(event), { key_id: null, revoke_reason: null })
      },
    },
  },
}
