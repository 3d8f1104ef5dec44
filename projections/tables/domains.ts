import type { Recorded } from '../../domain/catalogue.ts'
import type { DnsDomainEvent } from '../../domain/dns-domain/events.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { domainId: string } }) => ({ id: event.data.domainId })
const stamp = (event: Recorded<DnsDomainEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

/** DNS domains of the organization. */
export const domains: Table = {
  name: 'domains',
  key: ['id'],
  on: {
    'domain.created': {
      apply: (event, rows) => {
        const { domainId: id, name, token } = event.data
        rows.put({
          ...{ id, name, name_key: name, token, status: 'pending' },
          ...{ verified_at: null, missing_since: null },
          created_at: event.metadata.time,
          ...stamp(event),
        })
      },
    },
    'domain.verified': change(self, (event) => ({
      ...{ status: 'verified', verified_at: event.metadata.time, missing_since: null },
      ...stamp(event),
    })),
    'domain.verification_failed': change(self, (event) => ({ status: 'failed', ...stamp(event) })),
    'domain.record_missing': change(self, (event) => ({ missing_since: event.data.since, ...stamp(event) })),
    'domain.lost': change(self, (event) => ({
      ...{ status: 'pending', verified_at: null, missing_since: null },
      ...stamp(event),
    })),
    'domain.deleted': change(self, (event) => ({ status: 'deleted', name_key: null, ...stamp(event) })),
  },
}
