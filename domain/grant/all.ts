/** Revokes, in one decision, all grants of a user for an application. */
import { accept, type Decider } from '../decider.ts'
import type { GrantEvent } from './events.ts'

type AllRevoked = Extract<GrantEvent, { type: 'grant.all_revoked' }>

export type AllGrantsCommand = { readonly type: 'revoke_all' } & AllRevoked['data']

/** The decision needs no state: later events are not affected. */
export const allGrantsDecider: Decider<null, AllGrantsCommand, AllRevoked> = {
  initial: null,
  evolve: (state) => state,
  decide: ({ applicationId, userId, reason }) =>
    accept({ type: 'grant.all_revoked', data: { applicationId, userId, reason } }),
}

export const allGrantsStream = (applicationId: string, userId: string): string =>
  `grants-${applicationId}:${userId}`
