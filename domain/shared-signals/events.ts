import type { Change } from '../changes.ts'

/** Push (RFC 8935) and poll (RFC 8936). */
export const deliveryMethods = ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936'] as const
export type DeliveryMethod = (typeof deliveryMethods)[number]

/** OpenID Shared Signals Framework 1.0 §8.1.2: paused streams keep their events, disabled ones lose them. */
export const streamStatuses = ['enabled', 'paused', 'disabled'] as const
export type StreamStatus = (typeof streamStatuses)[number]

/** What a receiver asks for. */
export interface StreamFields {
  readonly description: string | null
  /** URIs of event types */
  readonly eventsRequested: readonly string[]
  readonly method: DeliveryMethod
  /** Where events are pushed to; null for poll */
  readonly endpointUrl: string | null
}

interface StreamOf {
  /** `sst_` id */
  readonly streamId: string
  /** The receiver */
  readonly applicationId: string
}

export type SharedSignalsStreamEvent =
  | {
      type: 'shared_signals_stream.created'
      data: StreamOf &
        StreamFields & {
          /** The Authorization header of pushed events, encrypted; null for none */
          readonly sealedAuthorization: string | null
        }
    }
  | {
      type: 'shared_signals_stream.updated'
      data: StreamOf & { readonly changes: readonly Change[]; readonly sealedAuthorization: string | null }
    }
  | {
      type: 'shared_signals_stream.status_changed'
      data: StreamOf & {
        readonly status: StreamStatus
        readonly reason: string | null
        readonly by: 'receiver' | 'administrator'
      }
    }
  | { type: 'shared_signals_stream.deleted'; data: StreamOf }
