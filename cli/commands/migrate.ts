import { defineCommand } from '../program.ts'

export const migrateCommand = defineCommand({
  command: 'migrate',
  describe: 'Apply database migrations and exit',
  builder: (args) => args,
  handler: async () => {
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { withStorage } = await import('../server/offline.ts')
    const { migrate } = await import('../server/migrate.ts')
    await withStorage(config, log, async (storage) => {
      const { applied, built } = await migrate(storage, log)
      const lines = [
        ...(applied.length === 0 ? [] : [`Applied ${applied.join(', ')}.`]),
        ...(built === null
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
