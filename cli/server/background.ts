/** The background work of an instance, besides requests and the consumers of the log. */
import { policyDryRuns } from '../../adapters/application/commands/policy-dry-runs.ts'
import { exportCommands, exportWriter } from '../../adapters/application/exports/exports.ts'
import { importWorker } from '../../adapters/application/imports/import-worker.ts'
import { importCommands } from '../../adapters/application/imports/imports.ts'
import { providerTests } from '../../adapters/application/sign-in/federation/provider-test.ts'
import { maintenanceDuties } from '../../adapters/application/reactions/maintenance.ts'
import { codeGuesses } from '../../adapters/application/sign-in/code-guesses.ts'
import { deviceAuthorizations } from '../../adapters/application/sign-in/device-authorizations.ts'
import { magicLinks } from '../../adapters/application/sign-in/magic-links.ts'
import { backchannelLogout } from '../../adapters/inbound/oidc/backchannel-logout.ts'
import { engineRows } from '../../adapters/engines/audit/verify/leaves.ts'
import { dropUnusedReadModels } from '../../adapters/engines/postgres/unused-read-models.ts'
import { pushDelivery } from '../../adapters/inbound/ssf/push-delivery.ts'
import { authRequests } from '../../adapters/inbound/sign-in/auth-requests.ts'
import { wrongCodes } from '../../adapters/inbound/sign-in/wrong-codes.ts'
import { repeatTasks, type RepeatedTask } from '../../adapters/kernel/repeated-tasks.ts'
import { rest } from '../../adapters/kernel/rest.ts'
import { startPostman } from '../../adapters/outbound/mail/postman.ts'
import { mailServer } from '../../adapters/outbound/mail/smtp.ts'
import type { ProvisioningTiming } from '../../adapters/outbound/provisioning/run.ts'
import type { WebhookTiming } from '../../adapters/outbound/webhooks/run.ts'
import type { Config } from './config.ts'
import type { Core } from './core.ts'
import type { Log } from './log.ts'
import { provisioner, type Provisioning } from './provisioning.ts'
import { webhookSender, type Webhooks } from './webhooks.ts'

/** Stored responses for repeated requests, which are kept for a day. */
interface Purged {
  purge(now: Date): Promise<unknown>
}

export interface BackgroundWork {
  readonly webhooks: Pick<Webhooks, 'status'>
  readonly provisioning: Pick<Provisioning, 'status'>
  start(): void
  /** Resolves once no work is running. */
  stop(): Promise<void>
}

const duties = (core: Core, idempotency: Purged, log: Log, signal: AbortSignal): readonly RepeatedTask[] => {
  const { services, workPool, eventLog } = core
  const logouts = backchannelLogout(services, workPool, services.egress, log)
  const signals = pushDelivery(services, log)
  const imports = importWorker(services)
  const exports = exportWriter(services, engineRows(eventLog))
  return [
    { name: 'sign-out notices', every: 2, run: () => logouts.deliver() },
    { name: 'shared signals', every: 0.5, run: () => signals.deliver() },
    { name: 'old shared signals', every: 600, run: () => signals.sweep() },
    ...maintenanceDuties(services, core),
    { name: 'read models of other versions', every: 60, run: () => dropUnusedReadModels(services.pool) },
    { name: 'repeated requests', every: 300, run: () => idempotency.purge(new Date()) },
    { name: 'sign-in requests', every: 60, run: () => authRequests(services).sweep() },
    { name: 'device sign-ins', every: 60, run: () => deviceAuthorizations(services).sweep() },
    { name: 'lockouts', every: 15, run: () => wrongCodes(services).recordLockouts() },
    { name: 'sign-in links', every: 600, run: () => magicLinks(services).sweep() },
    { name: 'wrong codes', every: 600, run: () => wrongCodes(services).sweep() },
    { name: 'codes from unknown clients', every: 60, run: () => codeGuesses(services).sweep() },
    { name: 'code guessing', every: 5, run: () => codeGuesses(services).watch() },
    { name: 'dry runs of policies', every: 1, run: () => policyDryRuns(services).work() },
    { name: 'old dry runs', every: 3600, run: () => policyDryRuns(services).sweep() },
    { name: 'exports', every: 1, run: () => exports.work(signal) },
    { name: 'tests of identity providers', every: 600, run: () => providerTests(services).sweep() },
    { name: 'imports', every: 1, run: () => imports.work(signal) },
    { name: 'old imports', every: 600, run: () => importCommands(services).sweep() },
    { name: 'expired exports', every: 600, run: () => exportCommands(services).sweep() },
  ]
}

/** @param options intervals for webhooks and provisioning that replace the default ones */
export const backgroundWork = (
  config: Pick<Config, 'mail' | 'dev'>,
  core: Core,
  idempotency: Purged,
  log: Log,
  options: {
    readonly webhooks?: Partial<WebhookTiming>
    readonly provisioning?: Partial<ProvisioningTiming>
    readonly duties?: boolean
  },
): BackgroundWork => {
  const { services, workPool } = core
  const webhooks = webhookSender(services, log, options.webhooks)
  const provisioning = provisioner(core, log, options.provisioning)
  const stopping = new AbortController()
  let stopPostman: (() => Promise<void>) | undefined
  let maintaining: Promise<unknown> | undefined

  /** Each task has its own loop: none waits for another. */
  const maintain = (): Promise<unknown> =>
    Promise.all(
      duties(core, idempotency, log, stopping.signal).map((duty) =>
        repeatTasks([duty], {
          // A separate signal: Node warns of a leak when a signal has more than ten listeners.
          signal: AbortSignal.any([stopping.signal]),
          beginsLater: true,
          failed: (name, error): undefined => {
            const reason = error instanceof Error ? error.message : String(error)
            log.warn({ duty: name, reason }, 'maintenance failed')
          },
          rest,
        }),
      ),
    )

  return {
    webhooks,
    provisioning,
    start: () => {
      webhooks.start()
      provisioning.start()
      if (services.mail.available)
        stopPostman = startPostman(services, workPool, {
          server: config.mail === undefined ? null : mailServer(config.mail.smtpUrl, config.mail.from),
          unlimitedLinks: config.dev,
          log,
        })
      if (options.duties !== false) maintaining = maintain()
    },
    stop: async () => {
      stopping.abort()
      await Promise.all([webhooks.stop(), provisioning.stop(), stopPostman?.(), maintaining])
    },
  }
}
