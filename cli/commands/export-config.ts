import { serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

export const exportConfigCommand = defineCommand<{ dir: string; server: string | undefined }>({
  command: 'export-config',
  describe: 'Write the configuration of the service to YAML files, without secrets',
  builder: (args) =>
    args
      .option('dir', {
        alias: 'f',
        type: 'string',
        demandOption: true,
        describe: 'The folder; files with the same names are replaced',
      })
      .option('server', serverOption),
  handler: async ({ dir, server }) => {
    const { ownAdminApi } = await import('../client/admin-api.ts')
    const { writeFiles } = await import('../client/configuration/files.ts')
    const { readSnapshot } = await import('../client/configuration/snapshot.ts')
    const { snapshot } = await readSnapshot(await ownAdminApi(server))
    const written = await writeFiles(dir, snapshot)
    process.stdout.write(written.map((path) => `${path}\n`).join(''))
  },
})
