import type { BundleVerification } from '../../adapters/engines/audit/bundle/verify.ts'
import type { Verification } from '../../adapters/engines/audit/verify/verify.ts'
import { CliError, exitCodes } from '../server/exit-codes.ts'
import { defineCommand } from '../program.ts'

interface Options {
  action: string | undefined
  bundle: string | undefined
  key: string | undefined
  checkpoint: string[]
  out: string | undefined
  from: string | undefined
  to: string | undefined
  json: boolean
  follow: boolean
  filter: string[]
  lines: number
  server: string | undefined
}

type Result = Pick<Verification, 'findings' | 'integrity' | 'completeness'>

const placeOf = ({ table, position, stream, eventId }: Result['findings'][number]): string =>
  [
    position === null ? table : `${table} at ${position}`,
    ...(stream === null ? [] : [`stream ${stream}`]),
    ...(eventId === null ? [] : [`event ${eventId}`]),
  ].join(', ')

const report = ({ findings, ...rest }: Result): string => {
  const verdict = (name: 'integrity' | 'completeness', meaning: string): string =>
    `${name}: ${rest[name].ok ? `ok, ${meaning}` : `FAILED, ${String(rest[name].findings)} found`}\n`
  return (
    verdict('integrity', 'the data matches what was recorded') +
    verdict('completeness', 'no recorded data is missing') +
    findings.map((each) => `  ${placeOf(each)}: ${each.what}\n`).join('')
  )
}

const some = (count: number, what: string): string => (count === 0 ? '' : `; ${String(count)} ${what}`)

const GONE = 'were deleted at the end of their retention'

const aboutLive = ({ size, entries, pending, expired }: Verification): string =>
  `${String(size)} events and ${String(entries)} audit entries` +
  some(pending, 'events are newer than the tree') +
  some(expired, GONE)

const aboutBundle = ({ from, to, size, leaves, expired }: BundleVerification): string =>
  `${String(leaves)} events, from ${String(from)} up to ${String(to)} of ${String(size)}${some(expired, GONE)}`

const live = async (options: Options): Promise<[Verification, string]> => {
  const { fromEnvironment } = await import('../server/environment.ts')
  const { config, log } = fromEnvironment()
  const { verifyLive } = await import('../server/audit.ts')
  const result = await verifyLive(config, log, options)
  return [result, aboutLive(result)]
}

const offline = async (bundle: string, options: Options): Promise<[BundleVerification, string]> => {
  const { verifyBundleFile } = await import('../server/audit-bundle.ts')
  const result = await verifyBundleFile(bundle, options)
  return [result, aboutBundle(result)]
}

const verify = async (options: Options): Promise<void> => {
  const started = performance.now()
  const { bundle, json } = options
  const [result, about] = await (bundle === undefined ? live(options) : offline(bundle, options))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${about} in ${seconds} s\n${report(result)}`)
  if (!result.integrity.ok || !result.completeness.ok)
    throw new CliError(exitCodes.error, 'Audit verification failed.')
}

const write = async ({ out, json, ...options }: Options): Promise<void> => {
  if (out === undefined) throw new CliError(exitCodes.usage, '--out is required with export')
  const { fromEnvironment } = await import('../server/environment.ts')
  const { config, log } = fromEnvironment()
  const { exportBundle } = await import('../server/audit-bundle.ts')
  const { from, to, size } = await exportBundle(config, log, { out, ...options })
  process.stdout.write(
    json
      ? `${JSON.stringify({ out, from, to, size })}\n`
      : `Wrote events ${String(from)} up to ${String(to)} of ${String(size)} to ${out}.\n`,
  )
}

/** Text for a terminal, NDJSON for a program. */
const tail = async ({ follow, filter, lines, server, json }: Options): Promise<void> => {
  const { auditFilters, auditLine, tailAudit } = await import('../client/audit-tail.ts')
  const { ownAdminApi } = await import('../client/admin-api.ts')
  const filters = auditFilters(filter)
  const asText = process.stdout.isTTY && !json
  await tailAudit(await ownAdminApi(server), filters, lines, follow, (entry) => {
    process.stdout.write(`${asText ? auditLine(entry) : JSON.stringify(entry)}\n`)
  })
}

const actions: Readonly<Record<string, (options: Options) => Promise<void>>> = { verify, export: write, tail }

export const auditCommand = defineCommand<Options>({
  command: 'audit <action>',
  describe:
    'Verify that the event log and the audit trail are complete and unchanged, or show the end of the trail',
  builder: (args) =>
    args
      .positional('action', { type: 'string', choices: Object.keys(actions), describe: 'Action' })
      .option('follow', { type: 'boolean', default: false, describe: 'With tail: wait for new entries' })
      .option('filter', {
        type: 'string',
        array: true,
        default: [],
        describe: 'With tail: only these entries, for example action=user.*',
      })
      .option('lines', { type: 'number', default: 10, describe: 'With tail: how many entries to show first' })
      .option('server', {
        type: 'string',
        describe: 'With tail: address of the service; default: where you are signed in',
      })
      .option('bundle', { type: 'string', describe: 'Verify this file instead of the database' })
      .option('key', {
        type: 'string',
        describe: 'File with the public key, as returned by /api/v1/audit/key.pub',
      })
      .option('checkpoint', {
        type: 'string',
        array: true,
        default: [],
        describe: 'File with a signed checkpoint that you stored elsewhere',
      })
      .option('out', { type: 'string', describe: 'Export file' })
      .option('from', {
        type: 'string',
        describe: 'Export from this event (inclusive): its number, or a time',
      })
      .option('to', { type: 'string', describe: 'Export up to this event (exclusive)' })
      .option('json', { type: 'boolean', default: false, describe: 'Print the result as JSON' }),
  handler: (options) => (actions[options.action ?? ''] ?? verify)(options),
})
