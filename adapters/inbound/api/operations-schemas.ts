import { Type } from 'typebox'
import { nullable } from '../http/schemas.ts'

const position = Type.String({ description: 'opaque, ordered as text; empty before the first event' })

export const Operations = Type.Object(
  {
    version: Type.String({ description: 'of this instance' }),
    nodeVersion: Type.String({ description: 'of this instance' }),
    eventLog: Type.Object({ engine: Type.Enum(['postgres', 'eventstoredb']), head: position }),
    consumers: Type.Array(
      Type.Object({
        name: Type.String(),
        position,
        state: Type.Enum(['running', 'waiting', 'stopped'], {
          description: 'on this instance; waiting: another instance runs it',
        }),
        caughtUp: nullable(
          Type.Boolean({ description: 'whether it has reached the end of the log; null if it is waiting' }),
        ),
        failedEventId: nullable(Type.String({ description: 'the event that stopped it' })),
      }),
    ),
    otherVersions: Type.Array(Type.String(), {
      description: 'read models of other versions of the service that are running',
    }),
  },
  { title: 'Operations' },
)
