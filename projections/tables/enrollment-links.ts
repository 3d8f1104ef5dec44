import type { EventOf, Recorded } from '../../domain/catalogue.ts'
import type { UserEvent } from '../../domain/user/events.ts'
import type { Reaction, Table } from '../table.ts'

const self = (event: { data: { userId: string } }) => ({ user_id: event.data.userId })

const remove: Reaction<Recorded<UserEvent>> = {
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    for (const row of rows.find(self(event))) rows.delete(row)
  },
}

/** A holder of an earlier copy of the link must not enrol with the new roles. */
const removeOnRaise: Reaction<Recorded<EventOf<'user.roles_changed'>>> = {
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    if (event.data.added.length > 0) for (const row of rows.find(self(event))) rows.delete(row)
  },
}

/** The valid link of each user: a newer one replaces it. */
export const enrollmentLinks: Table = {
  name: 'enrollment_links',
  key: ['user_id'],
  on: {
    'user.enrollment_link_issued': {
      apply: ({ data, metadata }, rows) => {
        rows.put({
          user_id: data.userId,
          token_hash: data.tokenHash,
          mailed_token_hash: data.mailedTokenHash,
          kind: data.kind,
          expires_at: data.expiresAt,
          created_at: metadata.time,
        })
      },
    },
    'user.enrollment_link_redeemed': remove,
    // A link that was sent to the former address must not enrol its reader.
    'user.email_changed': remove,
    'user.roles_changed': removeOnRaise,
    'user.deleted': remove,
  },
}
