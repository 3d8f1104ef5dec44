import type { Recorded } from '../../domain/catalogue.ts'
import type { ProvisioningEvent } from '../../domain/provisioning/events.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { applicationId: string } }) => ({ application_id: event.data.applicationId })
const version = (event: Recorded<ProvisioningEvent>) => ({ version: event.revision + 1 })
const stamp = (event: Recorded<ProvisioningEvent>) => ({ updated_at: event.metadata.time, ...version(event) })
const unpaused = { paused_at: null, paused_over: null }

/** The provisioning configuration of applications. */
export const provisioning: Table = {
  name: 'provisioning',
  key: ['application_id'],
  on: {
    'provisioning.configured': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        const { data, metadata } = event
        const [before] = rows.find(self(event))
        const known = before?.['status'] === 'configured'
        const same = known && before['generation'] === data.generation
        rows.put({
          enabled: false,
          resumed_at: null,
          allowed: null,
          requested_run: null,
          ...unpaused,
          created_at: metadata.time,
          ...(known ? before : {}),
          ...(same ? {} : { ...unpaused, resumed_at: null, allowed: null }),
          application_id: data.applicationId,
          status: 'configured',
          base_url: data.baseUrl,
          sealed_token: data.sealedToken,
          auth_scheme: data.authScheme,
          user_name_attribute: data.userNameAttribute,
          attributes: data.attributes,
          generation: data.generation,
          ...stamp(event),
        })
      },
    },
    'provisioning.enabled': change(self, (event) => ({ enabled: true, ...stamp(event) })),
    'provisioning.disabled': change(self, (event) => ({ enabled: false, ...stamp(event) })),
    'provisioning.removed': change(self, (event) => ({
      status: 'removed',
      enabled: false,
      ...unpaused,
      ...stamp(event),
    })),
    'provisioning.sync_requested': change(self, (event) => ({
      requested_run: event.data.runId,
      ...version(event),
    })),
    'provisioning.failed': change(self, version),
    'provisioning.recovered': change(self, version),
    'provisioning.paused': change(self, (event) => ({
      paused_at: event.metadata.time,
      paused_over: event.data.deactivations,
      ...version(event),
    })),
    'provisioning.resumed': change(self, (event) => ({
      ...unpaused,
      resumed_at: event.metadata.time,
      allowed: event.data.allowed,
      ...version(event),
    })),
  },
}
