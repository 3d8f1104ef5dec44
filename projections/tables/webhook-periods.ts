import type { Row, Rows } from '../rows.ts'
import type { Reaction, Table } from '../table.ts'

interface Placed {
  readonly position: string
  readonly data: { readonly webhookId: string }
}

const open = ({ data }: Placed) => ({ webhook_id: data.webhookId })

const openRow = (event: Placed, rows: Rows): Row | undefined =>
  rows.find(open(event)).find((row) => row['to_position'] === null)

/** Ends the open period and starts another with these differences. */
const turn = <Event extends Placed>(
  to: (event: NoInfer<Event>) => Record<string, unknown> | null,
): Reaction<Event> => ({
  reads: (event) => [open(event)],
  apply: (event, rows) => {
    const different = to(event)
    const row = openRow(event, rows)
    if (different === null || row === undefined) return
    rows.put({ ...row, to_position: event.position })
    rows.put({ ...row, ...different, from_position: event.position })
  },
})

/**
 * The event selection and status of each endpoint at each log position: an endpoint gets the events that it
 * selected at the time of the event. A period starts with the event that created it.
 */
export const webhookPeriods: Table = {
  name: 'webhook_periods',
  key: ['webhook_id', 'from_position'],
  open: 't.to_position is null',
  on: {
    'webhook.created': {
      apply: ({ data, position }, rows) => {
        rows.put({
          webhook_id: data.webhookId,
          from_position: position,
          to_position: null,
          created_position: position,
          active: true,
          events: data.events,
        })
      },
    },
    'webhook.updated': turn(({ data }) => {
      const events = data.changes.find(({ field }) => field === 'events')?.to
      return events === undefined ? null : { events }
    }),
    'webhook.paused': turn(() => ({ active: false })),
    'webhook.resumed': turn(() => ({ active: true })),
    'webhook.deleted': {
      reads: (event) => [open(event)],
      apply: (event, rows) => {
        const row = openRow(event, rows)
        if (row !== undefined) rows.put({ ...row, to_position: event.position })
      },
    },
  },
}
