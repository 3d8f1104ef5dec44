import { CliError, exitCodes } from '../server/exit-codes.ts'
import { defineCommand } from '../program.ts'

export const migrateCommand = defineCommand<{ 'page-size': number | undefined }>({
  command: 'migrate',
  describe: 'Apply database migrations and exit',
  builder: (args) =>
    args.option('page-size', {
      type: 'number',
      describe: 'Events that the build of the read models commits at once',
    }),
  handler: async ({ pageSize }) => {
    if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize > 0))
      throw new CliError(exitCodes.usage, '--page-size must be a whole number of at least 1')
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { withStorage } = await import('../server/offline.ts')
    const { migrate } = await import('../server/migrate.ts')
    await withStorage(config, log, async (storage) => {
      const { applied, built } = await migrate(storage, log, { page: pageSize })
      const lines = [
        ...(applied.length === 0 ? [] : [`Applied ${applied.join(', ')}.`]),
        ...(built === null || built.events + built.copied.length === 0
          ? []
          : [
              `Built the read models of this version in ${built.seconds.toFixed(1)} s: ` +
                `replayed ${String(built.events)} events into ${String(built.replayed.length)} tables, ` +
                `copied ${String(built.copied.length)} tables.`,
            ]),
      ]
      process.stdout.write(`${lines.length === 0 ? 'Nothing to migrate.' : lines.join('\n')}\n`)
    })
  },
})
