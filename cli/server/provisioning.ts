import {
  provisioningTiming,
  provisioningWork,
  type ProvisioningStatus,
  type ProvisioningTiming,
} from '../../adapters/outbound/provisioning/run.ts'
import type { Core } from './core.ts'
import type { LeasedLoop } from '../../projections/leased-loop.ts'
import { leasedWork } from './leased-work.ts'
import type { Log } from './log.ts'

export interface Provisioning extends LeasedLoop {
  readonly status: () => ProvisioningStatus
}

/** Provisions users into applications while no other instance does. */
export const provisioner = (
  { services, caughtUp }: Pick<Core, 'services' | 'caughtUp'>,
  log: Log,
  timing: Partial<ProvisioningTiming> = {},
): Provisioning => {
  const { work, status } = provisioningWork(services, caughtUp, { ...provisioningTiming, ...timing }, log)
  return { status, ...leasedWork(services.pool, 'provisioning', work, log) }
}
