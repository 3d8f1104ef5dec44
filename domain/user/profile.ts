import { changesOf } from '../changes.ts'
import { accept, type Decision } from '../decider.ts'
import type { UserEvent } from './events.ts'
import type { UserState } from './state.ts'

/** The changes of these fields; an address change is a separate event. */
export const updateProfile = (
  fields: Readonly<Record<string, unknown>>,
  userId: string,
  state: UserState,
): Decision<UserEvent> => {
  const { email, ...others } = fields
  const changes = changesOf(state.profile, others)
  const from = state.profile.email ?? ''
  return accept<UserEvent>(
    ...(changes.length === 0 ? [] : [{ type: 'user.updated' as const, data: { userId, changes } }]),
    ...(typeof email === 'string' && email !== from
      ? [{ type: 'user.email_changed' as const, data: { userId, from, to: email } }]
      : []),
  )
}
