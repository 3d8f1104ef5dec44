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
      const built = await migrate(storage, log)
      process.stdout.write(
        built === null
          ? 'The read models of this version are there.\n'
          : `Replayed ${String(built.events)} events into ${String(built.replayed.length)} tables, copied ${String(built.copied.length)} tables.\n`,
      )
    })
  },
})
