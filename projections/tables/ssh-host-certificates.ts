import { change, type Table } from '../table.ts'

export const sshHostCertificates: Table = {
  name: 'ssh_host_certificates',
  key: ['id'],
  on: {
    'ssh_host_certificate.issued': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          id: data.serial,
          service_account_id: data.serviceAccountId,
          key_id: data.keyId,
          key_type: data.keyType,
          key_fingerprint: data.keyFingerprint,
          authority_fingerprint: data.authorityFingerprint,
          host_names: data.hostNames,
          valid_after: data.validAfter,
          valid_before: data.validBefore,
          created_at: metadata.time,
          revoked_at: null,
          revoked_by: null,
          revoke_reason: null,
        })
      },
    },
    'ssh_host_certificate.revoked': change(
      ({ data }) => ({ id: data.serial }),
      ({ data, metadata }) => ({
        revoked_at: metadata.time,
        revoked_by: metadata.actorId,
        revoke_reason: data.reason,
      }),
    ),
  },
}
