import { serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

export const sshConfigCommand = defineCommand<{
  hosts: string
  key: string | undefined
  sshd: boolean
  server: string | undefined
}>({
  command: 'ssh-config',
  describe: 'Print the lines for ssh that fetch certificates by themselves, or those for servers',
  builder: (args) =>
    args
      .option('hosts', {
        type: 'string',
        default: '*',
        describe: 'The servers that accept certificates, as a pattern of ssh_config',
      })
      .option('key', { type: 'string', describe: 'The key; default: ~/.ssh/id_ed25519' })
      .option('sshd', {
        type: 'boolean',
        default: false,
        describe: 'Print the lines for sshd_config, and how a server fetches the keys',
      })
      .option('server', serverOption),
  handler: async ({ hosts, key, sshd, server }) => {
    const { homedir } = await import('node:os')
    const { join } = await import('node:path')
    const { ownCredentials } = await import('../client/own-store.ts')
    const { serverAddress } = await import('../client/server-address.ts')
    const { clientConfig, serverConfig } = await import('../client/ssh-config.ts')
    const { sshKeyFiles } = await import('../client/ssh-key-files.ts')
    const { CliError, exitCodes } = await import('../server/exit-codes.ts')
    if (!sshd) {
      const known = join(homedir(), '.ssh', 'svc_known_hosts')
      process.stdout.write(clientConfig(hosts, sshKeyFiles(key, homedir()), known))
      return
    }
    const address = server === undefined ? (await ownCredentials().read())?.server : serverAddress(server)
    if (address === undefined)
      throw new CliError(exitCodes.usage, 'name the service with --server URL, or run "svc login" first')
    process.stdout.write(serverConfig(address))
  },
})
