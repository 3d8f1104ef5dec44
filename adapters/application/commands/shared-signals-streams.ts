import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import {
  signalStreamStream,
  streamDecider,
  type StreamCommand,
} from '../../../domain/shared-signals/decider.ts'
import { STREAM_UPDATED, VERIFICATION } from '../../../domain/shared-signals/event-types.ts'
import type { StreamFields, StreamStatus } from '../../../domain/shared-signals/events.ts'
import { sharedSignalsStreams } from '../../../read-models/queries/shared-signals.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { sharedSignalQueue } from '../services/shared-signal-queue.ts'

/** Purpose of the encryption of Authorization headers; the stream's id is the associated data. */
export const AUTHORIZATION_PURPOSE = 'shared-signals-authorization'

/** Verification events that may wait for one receiver. */
const MAX_PENDING_TO_VERIFY = 1000

const streamCount = (applicationId: string): string => `shared-signals-stream:${applicationId}`

const aboutStream = (streamId: string, type: string, claims: object) => ({
  streamId,
  claims: { sub_id: { format: 'opaque', id: streamId }, events: { [type]: claims } },
})

export const sharedSignalsStreamCommands = (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'vault' | 'clock'>,
) => {
  const { handle, pool, locks, vault, clock } = services
  const queue = sharedSignalQueue(pool, clock)

  const send = (command: StreamCommand, actor: Actor) =>
    handle(streamDecider, signalStreamStream(command.streamId), command, actor)

  const sealed = (streamId: string, header: string | null): string | null =>
    header === null ? null : vault.seal(AUTHORIZATION_PURPOSE, header, streamId)

  return {
    /** @throws DomainError ERR_INVALID, ERR_CONFLICT if the application has a stream */
    create: (applicationId: string, fields: StreamFields, authorization: string | null, actor: Actor) =>
      locks.alone(streamCount(applicationId), async (): Promise<Id<'sharedSignalsStream'>> => {
        const hasOther = (await sharedSignalsStreams(pool, applicationId)).length > 0
        const streamId = idsFor(actor.idempotencyKey).newId('sharedSignalsStream')
        const sealedAuthorization = sealed(streamId, authorization)
        await send({ type: 'create', streamId, applicationId, fields, sealedAuthorization, hasOther }, actor)
        return streamId
      }),

    /**
     * @param authorization undefined: as before
     * @throws DomainError ERR_NOT_FOUND, ERR_INVALID
     */
    update: (
      streamId: string,
      fields: Partial<StreamFields>,
      authorization: string | null | undefined,
      actor: Actor,
    ) =>
      send(
        {
          ...{ type: 'update', streamId, fields },
          ...(authorization === undefined ? {} : { sealedAuthorization: sealed(streamId, authorization) }),
        },
        actor,
      ),

    /** @throws DomainError ERR_NOT_FOUND, ERR_FORBIDDEN for a receiver if an administrator stopped the stream */
    changeStatus: async (
      streamId: string,
      change: {
        readonly status: StreamStatus
        readonly reason: string | null
        readonly by: 'receiver' | 'administrator'
      },
      actor: Actor,
    ): Promise<number> => {
      const { version, recorded } = await send({ type: 'change_status', streamId, ...change }, actor)
      const { status, reason, by } = change
      if (status === 'disabled') await queue.dropAll(streamId)
      // §8.1.5: the receiver is told what it did not ask for.
      if (by === 'administrator' && recorded.length > 0)
        await queue.add([
          aboutStream(streamId, STREAM_UPDATED, { status, ...(reason === null ? {} : { reason }) }),
        ])
      return version
    },

    delete: async (streamId: string, actor: Actor): Promise<void> => {
      await send({ type: 'delete', streamId }, actor)
      await queue.dropAll(streamId)
    },

    /**
     * Queues a verification event (§8.1.4.2).
     * @throws DomainError ERR_RATE_LIMITED if too many events wait already
     */
    verify: async (streamId: string, state: string | null): Promise<void> => {
      if ((await queue.countPending(streamId)) >= MAX_PENDING_TO_VERIFY)
        throw new DomainError('ERR_RATE_LIMITED')
      await queue.add([aboutStream(streamId, VERIFICATION, state === null ? {} : { state })])
    },
  }
}
