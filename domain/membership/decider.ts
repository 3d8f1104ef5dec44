import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { MembershipEvent, MembershipVia } from './events.ts'

interface Source {
  readonly via: MembershipVia
  readonly sourceId: string | undefined
  readonly expiresAt: Instant | null
}

/** A membership exists while any of its sources does. */
export interface MembershipState {
  readonly sources: readonly Source[]
}

interface Subject {
  readonly groupId: string
  readonly userId: string
}

export type MembershipCommand = Subject &
  (
    | { type: 'grant'; via: MembershipVia; sourceId?: string; expiresAt?: Instant; now: Instant }
    /** Removal by an administrator: ends all sources except rules and packages, which are managed elsewhere. */
    | { type: 'remove' }
    | {
        type: 'withdraw'
        via: MembershipVia
        sourceId?: string
        reason: 'removed' | 'expired' | 'rule_no_longer_matches'
      }
    | { type: 'expire'; now: Instant }
  )

const initial: MembershipState = { sources: [] }

const same = (a: { via: MembershipVia; sourceId?: string | undefined }) => (b: Source) =>
  a.via === b.via && a.sourceId === b.sourceId

const evolve = (state: MembershipState, { type, data }: MembershipEvent): MembershipState => {
  const others = state.sources.filter((source) => !same(data)(source))
  switch (type) {
    case 'membership.granted':
    case 'membership.expiry_changed':
      return {
        sources: [...others, { via: data.via, sourceId: data.sourceId, expiresAt: data.expiresAt ?? null }],
      }
    case 'membership.withdrawn':
      return { sources: others }
  }
}

const keyOf = (
  { groupId, userId }: Subject,
  { via, sourceId }: { via: MembershipVia; sourceId?: string | undefined },
) => ({
  groupId,
  userId,
  via,
  ...(sourceId === undefined ? {} : { sourceId }),
})

const decide = (command: MembershipCommand, state: MembershipState): Decision<MembershipEvent> => {
  switch (command.type) {
    case 'grant': {
      if (command.expiresAt !== undefined && command.expiresAt <= command.now)
        return refuse('ERR_INVALID', 'expiresAt: expected a time in the future', '/expiresAt')
      const current = state.sources.find(same(command))
      const expiresAt = command.expiresAt ?? null
      const key = keyOf(command, command)
      const granted: MembershipEvent = {
        type: 'membership.granted',
        data: { ...key, ...(expiresAt === null ? {} : { expiresAt }) },
      }
      if (current === undefined) return accept(granted)
      // An expired membership starts again, so that the gap never counts as membership.
      if (current.expiresAt !== null && current.expiresAt <= command.now)
        return accept<MembershipEvent>(
          { type: 'membership.withdrawn', data: { ...key, reason: 'expired' } },
          granted,
        )
      if (current.expiresAt === expiresAt) return accept()
      return accept({ type: 'membership.expiry_changed', data: { ...key, expiresAt } })
    }
    case 'remove': {
      if (state.sources.length === 0) return refuse('ERR_NOT_FOUND')
      const byHand = state.sources.filter(({ via }) => via !== 'rule' && via !== 'package')
      if (byHand.length === 0)
        return refuse(
          'ERR_CONFLICT',
          "This membership comes from the group's rule or a package and cannot be removed directly.",
        )
      return accept(
        ...byHand.map((source): MembershipEvent => ({
          type: 'membership.withdrawn',
          data: { ...keyOf(command, source), reason: 'removed' },
        })),
      )
    }
    case 'withdraw':
      if (!state.sources.some(same(command))) return accept()
      return accept({
        type: 'membership.withdrawn',
        data: { ...keyOf(command, command), reason: command.reason },
      })
    case 'expire':
      return accept(
        ...state.sources
          .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= command.now)
          .map((source): MembershipEvent => ({
            type: 'membership.withdrawn',
            data: { ...keyOf(command, source), reason: 'expired' },
          })),
      )
  }
}

export const membershipDecider: Decider<MembershipState, MembershipCommand, MembershipEvent> = {
  initial,
  evolve,
  decide,
}

export const membershipStream = (groupId: string, userId: string): string => `membership-${groupId}:${userId}`
