import { entityManagement, low } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { SharedSignalsStreamEvent } from './events.ts'

const stream = ({ streamId }: { streamId: string }) => ({ type: 'shared_signals_stream', id: streamId })
const common = {
  schema: 1,
  target: stream,
  personal: [],
  subject: nobody,
  consequences: noConsequences,
} as const

const statuses = { enabled: 'Enabled', paused: 'Paused', disabled: 'Disabled' } as const

export const sharedSignalsStreamEvents = {
  'shared_signals_stream.created': {
    ...common,
    audit: 'shared_signals_stream.create',
    ocsf: entityManagement('Create'),
    summary: (_, { other }) => `Created a stream of shared signals for ${other}`,
  },
  'shared_signals_stream.updated': {
    ...common,
    audit: 'shared_signals_stream.update',
    ocsf: entityManagement('Update'),
    summary: (_, { other }) => `Updated the stream of shared signals for ${other}`,
  },
  'shared_signals_stream.status_changed': {
    ...common,
    audit: 'shared_signals_stream.status.update',
    ocsf: entityManagement('Update', low),
    summary: ({ status }, { other }) => `${statuses[status]} the stream of shared signals for ${other}`,
  },
  'shared_signals_stream.deleted': {
    ...common,
    audit: 'shared_signals_stream.delete',
    ocsf: entityManagement('Delete', low),
    summary: (_, { other }) => `Deleted the stream of shared signals for ${other}`,
  },
} as const satisfies Rows<SharedSignalsStreamEvent>
