import { Counter, Gauge, type Registry } from 'prom-client'
import type { Services } from '../../adapters/application/services/services.ts'
import { codeGuesses } from '../../adapters/application/sign-in/code-guesses.ts'
import type { TallyName } from '../../adapters/kernel/tally.ts'

/** The sources of wrong codes, by their names in the metrics. */
const typers = {
  wrong_code_stranger: 'stranger',
  wrong_code_known_device: 'known_device',
  wrong_code_signed_in: 'signed_in',
} as const satisfies Partial<Record<TallyName, string>>

/**
 * Metrics of abuse.
 * @returns a function that updates them, and omits those that the database does not return in time
 */
export const abuseMetrics = (registry: Registry, services: Services): (() => Promise<void>) => {
  const registers = [registry]
  const wrongCodes = new Counter({
    name: 'svc_wrong_codes_total',
    help: 'Wrong codes entered at this instance, by kind of client.',
    labelNames: ['typer'],
    registers,
  })
  const guessing = new Gauge({
    name: 'svc_code_guessing',
    help: '1 while code guessing across many users is detected and unknown clients are slowed down; the same on every instance.',
    registers,
  })
  const recent = new Gauge({
    name: 'svc_stranger_wrong_codes_recent',
    help: 'Wrong codes from unknown clients within the last 10 minutes; the same on every instance.',
    registers,
  })
  const alarms = new Counter({
    name: 'svc_code_guessing_alarms_total',
    help: 'Times that this instance raised the alarm for code guessing.',
    registers,
  })
  const undeclared = new Counter({
    name: 'svc_undeclared_proxy_requests_total',
    help: 'Requests at this instance with X-Forwarded-For or Forwarded from a peer that is not in SVC_TRUSTED_PROXIES.',
    registers,
  })
  const guesses = codeGuesses(services)

  return async () => {
    for (const metric of [wrongCodes, alarms, undeclared]) metric.reset()
    for (const [name, typer] of Object.entries(typers))
      wrongCodes.inc({ typer }, services.tally.of(name as keyof typeof typers))
    alarms.inc(services.tally.of('code_guessing'))
    undeclared.inc(services.tally.of('untrusted_forward'))
    const figures = await guesses.figures().catch(() => null)
    guessing.remove()
    recent.remove()
    if (figures === null) return
    guessing.set(figures.alarm ? 1 : 0)
    recent.set(figures.recent)
  }
}
