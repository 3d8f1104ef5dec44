import type { Recorded } from '../domain/catalogue.ts'
import { auditIdFor } from './audit-id.ts'
import type { Row, Rows, Selector } from './rows.ts'

const beginning = (event: Recorded): Row => ({
  from_position: event.position,
  from_at: event.metadata.time,
  to_position: null,
  to_at: null,
  changed_by: event.metadata.actorId,
  audit_id: auditIdFor(event),
})

/** The first interval of a history. */
export const begin = (event: Recorded, rows: Rows, row: Row): void => {
  rows.put({ ...row, ...beginning(event) })
}

/** Ends the open interval and starts one with these differences. The open rows of the selector must have been read. */
export const turn = (event: Recorded, rows: Rows, of: Selector, change: (row: Row) => Row): void => {
  for (const row of rows.find(of))
    if (row['to_position'] === null) {
      rows.put({ ...row, to_position: event.position, to_at: event.metadata.time })
      rows.put({ ...row, ...change(row), ...beginning(event) })
    }
}
