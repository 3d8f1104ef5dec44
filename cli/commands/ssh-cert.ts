import { listOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

interface Options {
  readonly key: string | undefined
  readonly out: string | undefined
  readonly principals: readonly string[] | undefined
  readonly validity: string | undefined
  readonly agent: boolean
  readonly renew: boolean
  readonly 'known-hosts': string | undefined
  readonly json: boolean
}

/** A certificate with less of its time left than this is renewed. */
const RENEW_BELOW = 0.25

export const sshCertCommand = defineCommand<Options>({
  command: 'ssh-cert',
  describe: 'Get a short-lived SSH certificate for a public key',
  builder: (args) =>
    args
      .option('key', { type: 'string', describe: 'The key; default: ~/.ssh/id_ed25519.pub' })
      .option('out', {
        type: 'string',
        // Otherwise yargs takes - for an argument of its own.
        nargs: 1,
        describe: 'The certificate file, - for standard output; default: next to the key, where ssh finds it',
      })
      .option('principals', {
        ...listOption,
        describe: 'Only these principals, separated by commas; default: all that your groups map to',
      })
      .option('validity', { type: 'string', describe: 'For how long, for example 1h or 30m' })
      .option('agent', {
        type: 'boolean',
        default: false,
        describe: 'Add the key and the certificate to the running ssh-agent, for as long as it is valid',
      })
      .option('renew', {
        type: 'boolean',
        default: false,
        describe: 'Do nothing if a certificate of this key has a quarter of its time left',
      })
      .option('known-hosts', {
        type: 'string',
        describe:
          'Also write the keys of the authority to this file, so that ssh knows hosts with certificates',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON' }),
  handler: async ({ key, out, principals, validity, agent, renew, knownHosts, json }) => {
    const { homedir } = await import('node:os')
    const { expectDone, printable, textIn } = await import('../client/http.ts')
    const { writeKnownHosts } = await import('../client/known-hosts.ts')
    const { ownCredentials } = await import('../client/own-store.ts')
    const { addToAgent } = await import('../client/ssh-agent.ts')
    const { replaceFile } = await import('../client/replace-file.ts')
    const files = await import('../client/ssh-key-files.ts')
    const { askSignedIn } = await import('../client/tokens.ts')
    const { CliError, exitCodes } = await import('../server/exit-codes.ts')
    const { validitySeconds } = await import('../client/validity.ts')

    if (agent && out !== undefined)
      throw new CliError(exitCodes.usage, '--agent reads the certificate next to the key: omit --out')
    const paths = files.sshKeyFiles(key, homedir())
    const target = out ?? paths.certificate
    const publicKey = await files.readPublicKey(paths.publicKey)
    const request = {
      publicKey: publicKey.line,
      ...(principals === undefined ? {} : { principals }),
      ...(validity === undefined ? {} : { validitySeconds: validitySeconds(validity) }),
    }
    const isKnown = knownHosts === undefined || (await files.textOf(knownHosts)) !== null
    if (renew && isKnown && target !== '-' && (await files.hasTimeLeft(target, publicKey, RENEW_BELOW)))
      return
    const { answer, credentials } = await askSignedIn(
      ownCredentials(),
      '/api/v1/me/ssh/certificates',
      request,
    )
    const issued = expectDone(answer, 'Getting a certificate')
    const line = `${textIn(issued, 'certificate')}\n`
    if (target !== '-') await replaceFile(target, line)
    if (knownHosts !== undefined) await writeKnownHosts(credentials.server, knownHosts)
    const validBefore = textIn(issued, 'validBefore')
    if (agent) await addToAgent(paths.privateKey, Date.parse(validBefore))
    if (json) {
      process.stdout.write(`${JSON.stringify({ ...issued.body, file: target === '-' ? null : target })}\n`)
      return
    }
    if (target === '-') {
      process.stdout.write(line)
      return
    }
    const { principals: given } = issued.body
    const names = Array.isArray(given) ? given.map(String).join(', ') : ''
    // Programs that ssh runs may read standard output.
    process.stderr.write(
      `${printable(target)} is valid until ${new Date(validBefore).toLocaleString()} as ${printable(names)}.\n`,
    )
  },
})
