import { CliError, exitCodes } from '../server/exit-codes.ts'
import { defineCommand } from '../program.ts'

export const projectionsCommand = defineCommand<{ action: string | undefined; verify: boolean }>({
  command: 'projections <action>',
  describe: 'Rebuild the read models from the event log while the service keeps running',
  builder: (args) =>
    args.positional('action', { type: 'string', choices: ['rebuild'], describe: 'Action' }).option('verify', {
      type: 'boolean',
      default: false,
      describe: 'Only verify that a replay produces the same rows',
    }),
  handler: async ({ verify }) => {
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { rebuildReadModels } = await import('../server/rebuild.ts')
    const report = await rebuildReadModels(config, log, verify)
    const rate = Math.round(report.events / Math.max(report.seconds, 0.001))
    process.stdout.write(
      `Replayed ${String(report.events)} events in ${report.seconds.toFixed(1)} s (${String(rate)}/s), ` +
        `up to ${report.position === '' ? 'the beginning' : report.position}.\n`,
    )
    for (const [table, count] of Object.entries(report.rows))
      process.stdout.write(`  ${table}: ${String(count)} rows\n`)
    for (const { table, onlyServing, onlyReplayed } of report.differences)
      process.stdout.write(
        `DIFFERENT ${table}: ${String(onlyServing)} rows only in the active read models, ${String(onlyReplayed)} only in the replay\n`,
      )
    if (report.differences.length > 0)
      throw new CliError(exitCodes.error, 'The replay differs from the active read models.')
    process.stdout.write(verify ? 'Identical.\n' : 'The rebuilt read models are now active.\n')
  },
})
