import { ERASED_NAME } from '../../domain/audit/entry.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import type { Profile, UserEvent } from '../../domain/user/events.ts'
import { unreadableAddress, UNREADABLE_NAME } from '../../domain/user/unreadable.ts'
import { begin, turn } from '../intervals.ts'
import type { Row } from '../rows.ts'
import type { Reaction, Table } from '../table.ts'
import { erasedAddress } from './users.ts'

const self = (event: { data: { userId: string } }) => ({ user_id: event.data.userId })

const stands = <Event extends Recorded<UserEvent>>(change: (row: Row) => Row): Reaction<Event> => ({
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    turn(event, rows, self(event), (row) => ({ ...change(row), personal: false }))
  },
})

/** Changes the two name columns; both are empty for an erased user. */
const called = <Event extends Recorded<UserEvent>>(
  to: (event: Event) => readonly (readonly [field: string, value: unknown])[],
): Reaction<Event> => ({
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    const change = Object.fromEntries(
      to(event).filter(
        ([field, value]) => (field === 'name' || field === 'email') && typeof value === 'string',
      ),
    )
    if (Object.keys(change).length > 0) turn(event, rows, self(event), () => ({ ...change, personal: true }))
  },
})

/** Names and states of users over time. */
export const userHistory: Table = {
  name: 'user_history',
  key: ['user_id', 'from_position'],
  open: 't.to_position is null',
  on: {
    'user.invited': {
      apply: (event, rows) => {
        const profile = event.data.profile as Profile | undefined
        const { userId } = event.data
        const unreadable = event.unreadable === true
        begin(event, rows, {
          ...self(event),
          status: 'invited',
          enrolled: false,
          name: profile?.name ?? (unreadable ? UNREADABLE_NAME : ERASED_NAME),
          email: profile?.email ?? (unreadable ? unreadableAddress : erasedAddress)(userId),
          personal: false,
        })
      },
    },
    'user.enrolled': stands(() => ({ status: 'active', enrolled: true })),
    'user.suspended': stands(() => ({ status: 'suspended' })),
    'user.reactivated': stands((row) => ({ status: row['enrolled'] === true ? 'active' : 'invited' })),
    'user.deleted': stands(() => ({ status: 'deleted' })),
    'user.updated': called(({ data }) =>
      ((data.changes as typeof data.changes | undefined) ?? []).map(({ field, to }) => [field, to]),
    ),
    'user.email_changed': called(({ data }) => [['email', data.to]]),
    // Keeps what a replay produces without the key: the user's states, without a name.
    'user.erased': {
      reads: (event) => [self(event)],
      history: true,
      apply: (event, rows) => {
        const erased = { name: ERASED_NAME, email: erasedAddress(event.data.userId) }
        let kept: Row | undefined
        for (const row of rows.find(self(event))) {
          const { to_position, to_at } = row
          if (kept !== undefined && row['personal'] === true) {
            rows.delete(row)
            kept = { ...kept, to_position, to_at }
          } else kept = { ...row, ...erased }
          rows.put(kept)
        }
      },
    },
  },
}
