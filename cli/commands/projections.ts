import { CliError, exitCodes } from '../server/exit-codes.ts'
import { defineCommand } from '../program.ts'

export const projectionsCommand = defineCommand<{ action: string | undefined; verify: boolean }>({
  command: 'projections <action>',
  describe: 'Rebuild the read models from the event log, beside a serving instance',
  builder: (args) =>
    args
      .positional('action', { type: 'string', choices: ['rebuild'], describe: 'What to do' })
      .option('verify', {
        type: 'boolean',
        default: false,
        describe: 'Only compare: prove that a replay gives the same rows',
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
        `DIFFERENT ${table}: ${String(onlyServing)} rows only in service, ${String(onlyReplayed)} only in the replay\n`,
      )
    if (report.differences.length > 0)
      throw new CliError(exitCodes.error, 'The replay and the serving read models differ.')
    process.stdout.write(verify ? 'Identical.\n' : 'The rebuilt read models now serve.\n')
  },
})
