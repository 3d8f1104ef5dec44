import { CliError, exitCodes } from '../server/exit-codes.ts'
import type { DemoApplication } from '../server/seed-demo.ts'
import { defineCommand } from '../program.ts'

const report = ({ applicationId, clientId, clientSecret }: DemoApplication): string =>
  clientSecret === null
    ? `Demo application: client id ${clientId}. Its client secret was rotated and cannot be shown; ` +
      `POST /api/v1/applications/${applicationId}/secrets creates another.\n`
    : `Demo application: client id ${clientId}, client secret ${clientSecret}\n`

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
      process.stdout.write(json ? `${JSON.stringify(application)}\n` : report(application))
    })
  },
})
