import { change, type Table } from '../table.ts'

const self = ({ data }: { data: { applicationId: string; userId: string } }) => ({
  application_id: data.applicationId,
  user_id: data.userId,
})

/** The accounts of users in applications, from the log. */
export const provisionedAccounts: Table = {
  name: 'provisioned_accounts',
  key: ['application_id', 'user_id'],
  on: {
    'provisioned_account.created': {
      apply: (event, rows) => {
        const { generation } = event.data
        // Missing after the user was erased.
        const remoteId = event.data.remoteId as string | undefined
        rows.put({ ...self(event), generation, remote_id: remoteId ?? null, active: true })
      },
    },
    'provisioned_account.updated': change(self, () => ({ active: true })),
    'provisioned_account.deactivated': change(self, () => ({ active: false })),
    'user.erased': {
      reads: (event) => [{ user_id: event.data.userId }],
      apply: (event, rows) => {
        for (const row of rows.find({ user_id: event.data.userId })) rows.put({ ...row, remote_id: null })
      },
    },
  },
}
