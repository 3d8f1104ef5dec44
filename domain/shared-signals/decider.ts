import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { webhookUrlProblem } from '../webhook/url.ts'
import { supportedSignals } from './event-types.ts'
import type { SharedSignalsStreamEvent, StreamFields, StreamStatus } from './events.ts'

export interface StreamState {
  readonly exists: 'not_yet' | 'yes' | 'deleted'
  readonly applicationId: string
  readonly fields: StreamFields
  readonly sealedAuthorization: string | null
  readonly status: StreamStatus
  readonly statusBy: 'receiver' | 'administrator'
}

export type StreamCommand =
  | {
      type: 'create'
      streamId: string
      applicationId: string
      fields: StreamFields
      sealedAuthorization: string | null
      /** Whether the application has another stream */
      hasOther: boolean
    }
  | {
      type: 'update'
      streamId: string
      fields: Partial<StreamFields>
      /** Omitted: as before */
      sealedAuthorization?: string | null
    }
  | {
      type: 'change_status'
      streamId: string
      status: StreamStatus
      reason: string | null
      by: 'receiver' | 'administrator'
    }
  | { type: 'delete'; streamId: string }

const initial: StreamState = {
  exists: 'not_yet',
  applicationId: '',
  fields: { description: null, eventsRequested: [], method: 'urn:ietf:rfc:8936', endpointUrl: null },
  sealedAuthorization: null,
  status: 'enabled',
  statusBy: 'receiver',
}

/** A stream that polls for no event. */
export const emptyStream = initial.fields

const evolve = (state: StreamState, { type, data }: SharedSignalsStreamEvent): StreamState => {
  switch (type) {
    case 'shared_signals_stream.created': {
      const { streamId: _, applicationId, sealedAuthorization, ...fields } = data
      return { ...initial, exists: 'yes', applicationId, fields, sealedAuthorization }
    }
    case 'shared_signals_stream.updated': {
      const { changes, sealedAuthorization } = data
      return { ...state, fields: applyChanges(state.fields, changes), sealedAuthorization }
    }
    case 'shared_signals_stream.status_changed':
      return { ...state, status: data.status, statusBy: data.by }
    case 'shared_signals_stream.deleted':
      return { ...state, exists: 'deleted' }
  }
}

/** Unknown event types are ignored (§8.1.1.1). */
const normalised = (fields: StreamFields): StreamFields => ({
  ...fields,
  eventsRequested: supportedSignals.filter((type) => fields.eventsRequested.includes(type)),
  endpointUrl: fields.method === 'urn:ietf:rfc:8935' ? fields.endpointUrl : null,
})

const problem = ({ method, endpointUrl }: StreamFields): ReturnType<typeof refuse> | null => {
  if (method === 'urn:ietf:rfc:8936') return null
  const reason = endpointUrl === null ? 'required for push delivery' : webhookUrlProblem(endpointUrl)
  return reason === null
    ? null
    : refuse('ERR_INVALID', `delivery.endpoint_url: ${reason}`, '/delivery/endpoint_url')
}

const decide = (command: StreamCommand, state: StreamState): Decision<SharedSignalsStreamEvent> => {
  const { streamId } = command
  if (command.type === 'create') {
    const { applicationId, sealedAuthorization, hasOther } = command
    if (state.exists !== 'not_yet') return refuse('ERR_CONFLICT')
    if (hasOther) return refuse('ERR_CONFLICT', 'This client has a stream already. Update or delete it.')
    const fields = normalised(command.fields)
    return (
      problem(fields) ??
      accept({
        type: 'shared_signals_stream.created',
        data: { streamId, applicationId, ...fields, sealedAuthorization },
      })
    )
  }
  if (state.exists !== 'yes') return refuse('ERR_NOT_FOUND')
  const { applicationId } = state
  switch (command.type) {
    case 'update': {
      const fields = normalised({ ...state.fields, ...command.fields })
      const { sealedAuthorization = state.sealedAuthorization } = command
      const changes = changesOf(state.fields, { ...fields })
      if (changes.length === 0 && sealedAuthorization === state.sealedAuthorization) return accept()
      return (
        problem(fields) ??
        accept({
          type: 'shared_signals_stream.updated',
          data: { streamId, applicationId, changes, sealedAuthorization },
        })
      )
    }
    case 'change_status': {
      const { status, reason, by } = command
      if (by === 'receiver' && state.statusBy === 'administrator' && state.status !== 'enabled')
        return refuse('ERR_FORBIDDEN', 'An administrator paused or disabled this stream.')
      if (status === state.status && by === state.statusBy) return accept()
      return accept({
        type: 'shared_signals_stream.status_changed',
        data: { streamId, applicationId, status, reason, by },
      })
    }
    case 'delete':
      return accept({ type: 'shared_signals_stream.deleted', data: { streamId, applicationId } })
  }
}

export const streamDecider: Decider<StreamState, StreamCommand, SharedSignalsStreamEvent> = {
  initial,
  evolve,
  decide,
}

export const signalStreamStream = (streamId: string): string => `shared_signals_stream-${streamId}`
