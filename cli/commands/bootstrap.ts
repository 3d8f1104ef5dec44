import { CliError, exitCodes } from '../exit-codes.ts'
import { defineCommand } from '../program.ts'

export const bootstrapCommand = defineCommand<{ email: string; name: string; force: boolean }>({
  command: 'bootstrap',
  describe: 'Create the first global administrator and print the setup link',
  builder: (args) =>
    args
      .option('email', {
        type: 'string',
        demandOption: true,
        describe: 'E-mail address of the administrator',
      })
      .option('name', { type: 'string', demandOption: true, describe: 'Name of the administrator' })
      .option('force', {
        type: 'boolean',
        default: false,
        describe: 'Even when there is an administrator already',
      }),
  handler: async ({ email, name, force }) => {
    if (!/^[^\s@]+@[^\s@]+$/.test(email))
      throw new CliError(exitCodes.usage, '--email: expected an e-mail address, for example ada@example.com')
    const { fromEnvironment } = await import('../environment.ts')
    const { config, log } = fromEnvironment()
    const { userCommands } = await import('../../adapters/commands/users.ts')
    const { withCore } = await import('../offline.ts')
    const { systemActor } = await import('../setup-link.ts')
    const { countOtherGlobalAdmins } = await import('../../read-models/queries/administrators.ts')
    await withCore(config, log, async ({ services }) => {
      if (!force && (await countOtherGlobalAdmins(services.pool, '')) > 0)
        throw new CliError(exitCodes.error, 'There is a global administrator already; --force makes another.')
      const { enrollUrl } = await userCommands(services).invite(
        { profile: { email, name }, source: 'local', roles: ['global_admin'] },
        { ...systemActor(), actorType: 'cli' },
      )
      process.stdout.write(`${enrollUrl}\n`)
    })
  },
})
