import type { Services } from '../../adapters/application/services/services.ts'
import type { EventLog } from '../../adapters/engines/event-log/event-log.ts'
import type { Serializer } from '../../adapters/engines/event-log/serializer.ts'
import { rowsOf } from '../../projections/replay-stream.ts'
import { applications } from '../../projections/tables/applications.ts'
import { groups } from '../../projections/tables/groups.ts'
import { methods } from '../../projections/tables/methods.ts'
import { users } from '../../projections/tables/users.ts'

const tables = [users, methods, groups, applications]

/** Computes a record at a log position from its own events. */
export const pastRecords =
  (eventLog: EventLog, serializer: Serializer): Services['pastRecord'] =>
  async (stream, upTo) => {
    const stored = await eventLog.readStream(stream)
    const events = await serializer.open(
      stored.filter(({ position }) => position <= upTo),
      { withOrigin: false },
    )
    return rowsOf(tables, events)
  }
