import { defineCommand } from '../program.ts'

export const acceptLostSecretKeyCommand = defineCommand<{ 'yes-the-key-is-lost': boolean }>({
  command: 'accept-lost-secret-key',
  describe:
    'Discard all data encrypted with a lost SVC_SECRET_KEY and continue with the current key; stop the service first',
  builder: (args) =>
    args.option('yes-the-key-is-lost', {
      type: 'boolean',
      default: false,
      describe: 'Confirm; without this option the command only shows what will be lost',
    }),
  handler: async ({ yesTheKeyIsLost }) => {
    const { acceptLostSecretKey, WHAT_IS_LOST } = await import('../server/accept-lost-secret-key.ts')
    if (!yesTheKeyIsLost) {
      const { CliError, exitCodes } = await import('../server/exit-codes.ts')
      throw new CliError(exitCodes.usage, WHAT_IS_LOST)
    }
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    process.stdout.write(await acceptLostSecretKey(config, log))
  },
})
