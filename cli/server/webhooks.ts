import type { Services } from '../../adapters/application/services/services.ts'
import {
  webhookTiming,
  webhookWork,
  type WebhookStatus,
  type WebhookTiming,
} from '../../adapters/outbound/webhooks/run.ts'
import type { LeasedLoop } from '../../projections/leased-loop.ts'
import { leasedWork } from './leased-work.ts'
import type { Log } from './log.ts'

export interface Webhooks extends LeasedLoop {
  readonly status: () => WebhookStatus
}

/** Sends webhooks while no other instance does. */
export const webhookSender = (
  services: Services,
  log: Log,
  timing: Partial<WebhookTiming> = {},
): Webhooks => {
  const { work, status } = webhookWork(services, { ...webhookTiming, ...timing }, log)
  return { status, ...leasedWork(services.pool, 'webhooks', (signal, { held }) => work(signal, held), log) }
}
