import { change, type Table } from '../table.ts'

const self = (event: { data: { keyId: string } }) => ({ id: event.data.keyId })

export const signingKeys: Table = {
  name: 'signing_keys',
  key: ['id'],
  on: {
    'signing_key.created': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          id: data.keyId,
          kid: data.kid,
          alg: data.alg,
          status: 'next',
          public_jwk: data.publicJwk,
          sealed_private_key: data.sealedPrivateKey,
          created_at: metadata.time,
          activated_at: null,
          retires_at: null,
        })
      },
    },
    'signing_key.activated': {
      reads: (event) => [
        self(event),
        ...(event.data.previousKeyId === null ? [] : [{ id: event.data.previousKeyId }]),
      ],
      apply: (event, rows) => {
        const { previousKeyId, previousRetiresAt } = event.data
        if (previousKeyId !== null)
          rows.patch({ id: previousKeyId }, { status: 'previous', retires_at: previousRetiresAt })
        rows.patch(self(event), { status: 'active', activated_at: event.metadata.time })
      },
    },
    'signing_key.retired': change(self, () => ({ status: 'retired' })),
  },
}
