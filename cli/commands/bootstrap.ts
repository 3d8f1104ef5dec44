import { defineCommand } from '../program.ts'

export const bootstrapCommand = defineCommand<{ email: string; name: string; force: boolean }>({
  command: 'bootstrap',
  describe: 'Create the first global administrator and print the setup link',
  builder: (args) =>
    args
      .option('email', {
        type: 'string',
        demandOption: true,
        describe: 'Email address of the administrator',
      })
      .option('name', { type: 'string', demandOption: true, describe: 'Name of the administrator' })
      .option('force', {
        type: 'boolean',
        default: false,
        describe: 'Create the link even if an administrator already exists',
      }),
  handler: async (options) => {
    const { bootstrapLink, checkNewAdministrator } = await import('../server/setup-link.ts')
    checkNewAdministrator(options)
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { withCore } = await import('../server/offline.ts')
    await withCore(config, log, async (core) => {
      process.stdout.write(`${await bootstrapLink(core, options)}\n`)
    })
  },
})
