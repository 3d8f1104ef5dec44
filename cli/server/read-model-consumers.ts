import type { EventLog } from '../../adapters/engines/event-log/event-log.ts'
import type { Serializer } from '../../adapters/engines/event-log/serializer.ts'
import { openedSource } from '../../adapters/engines/event-log/serializer.ts'
import { auditTables } from '../../projections/audit.ts'
import { AUDIT, CORE } from '../../projections/checkpoint.ts'
import { coreTables } from '../../projections/core.ts'
import type { Consumer } from '../../projections/rebuild.ts'
import { concernsTables } from '../../projections/table.ts'

/** Whoever fills the read models, each at its own pace; the core first. */
export const readModelConsumers = (
  eventLog: EventLog,
  serializer: Serializer,
): readonly [Consumer, ...Consumer[]] => [
  {
    name: CORE,
    source: openedSource(eventLog, serializer, { wants: concernsTables(coreTables), withOrigin: false }),
    tables: coreTables,
  },
  {
    name: AUDIT,
    source: openedSource(eventLog, serializer, {
      wants: concernsTables(auditTables),
      withOrigin: false,
      withLeaf: true,
    }),
    tables: auditTables,
  },
]
