import { defineCommand } from '../program.ts'

export const migrateCommand = defineCommand({
  command: 'migrate',
  describe: 'Apply database migrations and exit',
  builder: (args) => args,
  handler: async () => {
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { withStorage } = await import('../server/offline.ts')
    const { migrate, openLog } = await import('../server/storage.ts')
    await withStorage(config, log, async (storage) => {
      const applied = await migrate(storage)
      await (await openLog(storage, log)).close()
      process.stdout.write(
        applied.length === 0 ? 'Nothing to migrate.\n' : `Applied ${applied.join(', ')}.\n`,
      )
    })
  },
})
