import { catalogue, type EventType, type Recorded } from '../../domain/catalogue.ts'
import { retentionOf } from '../../domain/retention.ts'
import type { Reaction, Table } from '../table.ts'

const moment: Reaction<Recorded> = {
  apply: (event, rows) => {
    rows.put({ position: event.position, at: event.metadata.time })
  },
}

const lasting = (Object.keys(catalogue) as EventType[]).filter(
  (type) => retentionOf(type.split('.', 1)[0] ?? type) === 'permanent',
)

/** Whether events of this type map times to log positions: those that are kept permanently. */
export const marksMoment: ReadonlySet<string> = new Set(lasting)

/** The time of each event that is kept permanently. */
export const logMoments: Table = {
  name: 'log_moments',
  key: ['position'],
  on: Object.fromEntries(lasting.map((type) => [type, moment])),
}
