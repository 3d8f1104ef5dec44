import { CliError, exitCodes } from '../server/exit-codes.ts'
import { defineCommand } from '../program.ts'

export const devSessionCommand = defineCommand<{ email: string }>({
  command: 'dev-session',
  describe: 'Print a session cookie for a user; needs SVC_DEV=1',
  builder: (args) =>
    args.option('email', { type: 'string', demandOption: true, describe: 'Email address of the user' }),
  handler: async ({ email }) => {
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    if (!config.dev) throw new CliError(exitCodes.usage, 'dev-session needs SVC_DEV=1')
    const { withCore } = await import('../server/offline.ts')
    const { startDevSession } = await import('../server/dev-session.ts')
    await withCore(config, log, async ({ services }) => {
      process.stdout.write(`${await startDevSession(services, email)}\n`)
    })
  },
})
