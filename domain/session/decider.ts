import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type { SessionEndReason, SessionEvent } from './events.ts'

export interface SessionState {
  readonly status: 'none' | 'started' | 'ended'
  readonly userId: string
}

export type SessionCommand =
  | { type: 'start'; session: Extract<SessionEvent, { type: 'session.started' }>['data'] }
  | { type: 'end'; sessionId: string; reason: SessionEndReason }

const initial: SessionState = { status: 'none', userId: '' }

const evolve = (state: SessionState, { type, data }: SessionEvent): SessionState => {
  switch (type) {
    case 'session.started':
      return { status: 'started', userId: data.userId }
    case 'session.ended':
      return { ...state, status: 'ended' }
  }
}

const decide = (command: SessionCommand, state: SessionState): Decision<SessionEvent> => {
  switch (command.type) {
    case 'start':
      // The session's id is part of the sealed ceremony, so a ceremony starts one session at most.
      return state.status === 'none'
        ? accept({ type: 'session.started', data: command.session })
        : refuse('ERR_CEREMONY_EXPIRED')
    case 'end':
      if (state.status === 'none') return refuse('ERR_NOT_FOUND')
      if (state.status === 'ended') return accept()
      return accept({
        type: 'session.ended',
        data: { sessionId: command.sessionId, userId: state.userId, reason: command.reason },
      })
  }
}

export const sessionDecider: Decider<SessionState, SessionCommand, SessionEvent> = { initial, evolve, decide }

export const sessionStream = (sessionId: string): string => `session-${sessionId}`
