import { listOption, serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

interface Options {
  readonly key: string
  readonly out: string | undefined
  readonly names: readonly string[] | undefined
  readonly validity: string | undefined
  readonly renew: boolean
  readonly json: boolean
  readonly server: string | undefined
}

/** A certificate with less of its time left than this is renewed. */
const RENEW_BELOW = 0.5

export const sshHostCertCommand = defineCommand<Options>({
  command: 'ssh-host-cert',
  describe: 'Get an SSH certificate for the host key of this server, with the key in SVC_API_KEY',
  builder: (args) =>
    args
      .option('key', {
        type: 'string',
        default: '/etc/ssh/ssh_host_ed25519_key.pub',
        describe: 'The host key',
      })
      .option('out', {
        type: 'string',
        // Otherwise yargs takes - for an argument of its own.
        nargs: 1,
        describe: 'The certificate file, - for standard output; default: next to the key',
      })
      .option('names', {
        ...listOption,
        describe:
          'Only these host names, separated by commas; default: all of the service account without a wildcard',
      })
      .option('validity', { type: 'string', describe: 'For how long, for example 12h; default: 24h' })
      .option('renew', {
        type: 'boolean',
        default: false,
        describe: 'Do nothing if a certificate of this key has half of its time left',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
      .option('server', serverOption),
  handler: async ({ key, out, names, validity, renew, json, server }) => {
    const { homedir } = await import('node:os')
    const { ownAdminApi } = await import('../client/admin-api.ts')
    const { printable } = await import('../client/http.ts')
    const { replaceFile } = await import('../client/replace-file.ts')
    const files = await import('../client/ssh-key-files.ts')
    const { validitySeconds } = await import('../client/validity.ts')
    const { CliError, exitCodes } = await import('../server/exit-codes.ts')

    const paths = files.sshKeyFiles(key, homedir())
    const target = out ?? paths.certificate
    const publicKey = await files.readPublicKey(paths.publicKey)
    const request = {
      publicKey: publicKey.line,
      ...(names === undefined ? {} : { hostNames: names }),
      ...(validity === undefined ? {} : { validitySeconds: validitySeconds(validity) }),
    }
    if (renew && target !== '-' && (await files.hasTimeLeft(target, publicKey, RENEW_BELOW))) return
    const api = await ownAdminApi(server)
    const issued = await api.send('POST', '/ssh/host-certificates', request)
    const { certificate, validBefore, hostNames } = issued
    if (typeof certificate !== 'string' || typeof validBefore !== 'string' || !Array.isArray(hostNames))
      throw new CliError(
        exitCodes.error,
        'The service sent no certificate. Check the address of the service.',
      )
    if (target !== '-') await replaceFile(target, `${certificate}\n`)
    if (json) {
      process.stdout.write(`${JSON.stringify({ ...issued, file: target === '-' ? null : target })}\n`)
      return
    }
    if (target === '-') {
      process.stdout.write(`${certificate}\n`)
      return
    }
    process.stderr.write(
      `${printable(target)} is valid until ${new Date(validBefore).toLocaleString()} for ${printable(hostNames.join(', '))}. Reload sshd to use it.\n`,
    )
  },
})
