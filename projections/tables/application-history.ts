import type { ApplicationEvent } from '../../domain/application/events.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import { begin, turn } from '../intervals.ts'
import type { Reaction, Table } from '../table.ts'

const self = (event: { data: { applicationId: string } }) => ({ application_id: event.data.applicationId })

const stands = <Event extends Recorded<ApplicationEvent>>(status: string): Reaction<Event> => ({
  reads: (event) => [self(event)],
  apply: (event, rows) => {
    turn(event, rows, self(event), () => ({ status }))
  },
})

/** Names and states of applications over time. */
export const applicationHistory: Table = {
  name: 'application_history',
  key: ['application_id', 'from_position'],
  open: 't.to_position is null',
  on: {
    'application.created': {
      apply: (event, rows) => {
        begin(event, rows, { ...self(event), status: 'active', name: event.data.fields.name })
      },
    },
    'application.updated': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        const name = event.data.changes.find(({ field }) => field === 'name')?.to
        if (typeof name === 'string') turn(event, rows, self(event), () => ({ name }))
      },
    },
    'application.disabled': stands('disabled'),
    'application.enabled': stands('active'),
    'application.deleted': stands('deleted'),
  },
}
