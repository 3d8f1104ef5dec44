import type { Recorded } from '../../domain/catalogue.ts'
import type { UserEvent } from '../../domain/user/events.ts'
import type { Reaction, Table } from '../table.ts'

const self = (event: { data: { userId: string } }) => ({ user_id: event.data.userId })

const remove: Reaction<Recorded<UserEvent>> = {
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    for (const row of rows.find(self(event))) rows.delete(row)
  },
}

/** The remaining recovery codes of users, as keyed hashes. */
export const recoveryCodes: Table = {
  name: 'recovery_codes',
  key: ['user_id'],
  on: {
    'user.recovery_codes_generated': {
      apply: ({ data, metadata }, rows) => {
        rows.put({ user_id: data.userId, hashes: data.hashes, generated_at: metadata.time })
      },
    },
    'user.recovery_code_used': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        const hashes = rows.get(self(event))?.['hashes'] as readonly string[] | undefined
        if (hashes === undefined) return
        rows.patch(self(event), { hashes: hashes.filter((hash) => hash !== event.data.hash) })
      },
    },
    'user.methods_reset': remove,
    'user.deleted': remove,
  },
}
