import { change, type Table } from '../table.ts'

const self = (event: { data: { secretId: string } }) => ({ id: event.data.secretId })

export const clientSecrets: Table = {
  name: 'client_secrets',
  key: ['id'],
  open: 't.revoked_at is null',
  on: {
    'application.secret_created': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          id: data.secretId,
          application_id: data.applicationId,
          prefix: data.prefix,
          hash: data.hash,
          created_at: metadata.time,
          expires_at: data.expiresAt ?? null,
          revoked_at: null,
        })
      },
    },
    'application.secret_expiry_changed': change(self, (e) => ({ expires_at: e.data.expiresAt })),
    'application.secret_revoked': change(self, (e) => ({ revoked_at: e.metadata.time })),
    'application.deleted': {
      reads: ({ data }) => [{ application_id: data.applicationId }],
      apply: (event, rows) => {
        for (const row of rows.find({ application_id: event.data.applicationId }))
          if (row['revoked_at'] === null) rows.put({ ...row, revoked_at: event.metadata.time })
      },
    },
  },
}
