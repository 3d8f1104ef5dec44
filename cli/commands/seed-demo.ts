import { CliError, exitCodes } from '../server/exit-codes.ts'
import { defineCommand } from '../program.ts'

export const seedDemoCommand = defineCommand<{ json: boolean }>({
  command: 'seed-demo',
  describe: 'Create demo users, groups and an application; needs SVC_DEV=1',
  builder: (args) =>
    args.option('json', { type: 'boolean', default: false, describe: 'Print machine-readable output' }),
  handler: async ({ json }) => {
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    if (!config.dev) throw new CliError(exitCodes.usage, 'seed-demo needs SVC_DEV=1')
    const { withCore } = await import('../server/offline.ts')
    const { seedDemo } = await import('../server/seed-demo.ts')
    await withCore(config, log, async ({ services }) => {
      const application = await seedDemo(services)
      process.stdout.write(
        json
          ? `${JSON.stringify(application)}\n`
          : `Demo application: client id ${application.clientId}, client secret ${application.clientSecret}\n`,
      )
    })
  },
})
