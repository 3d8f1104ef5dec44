import { change, type Table } from '../table.ts'

const self = (event: { data: { fingerprint: string } }) => ({ fingerprint: event.data.fingerprint })

export const sshAuthorityKeys: Table = {
  name: 'ssh_authority_keys',
  key: ['fingerprint'],
  on: {
    'ssh_authority_key.created': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          fingerprint: data.fingerprint,
          status: 'next',
          public_key: data.publicKey,
          sealed_private_key: data.sealedPrivateKey,
          created_at: metadata.time,
          activated_at: null,
          retires_at: null,
        })
      },
    },
    'ssh_authority_key.activated': {
      reads: (event) => [
        self(event),
        ...(event.data.previousFingerprint === null ? [] : [{ fingerprint: event.data.previousFingerprint }]),
      ],
      apply: (event, rows) => {
        const { previousFingerprint, previousRetiresAt } = event.data
        if (previousFingerprint !== null)
          rows.patch(
            { fingerprint: previousFingerprint },
            { status: 'previous', retires_at: previousRetiresAt },
          )
        rows.patch(self(event), { status: 'active', activated_at: event.metadata.time })
      },
    },
    'ssh_authority_key.retired': change(self, () => ({ status: 'retired' })),
    'ssh_authority_key.revoked': change(self, () => ({ status: 'revoked' })),
  },
}
