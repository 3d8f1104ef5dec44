import { defineCommand } from '../program.ts'

/** Milliseconds between two progress lines. */
const PROGRESS_MS = 2000

/** Prints the progress of a long command to stderr at intervals. */
export const progressOnStderr = (): ((what: string, done: number) => void) => {
  let printed = performance.now()
  return (what, done) => {
    if (performance.now() - printed < PROGRESS_MS) return
    printed = performance.now()
    process.stderr.write(`${what}: ${String(done)}\n`)
  }
}

export const passphraseFileOption = {
  type: 'string',
  describe: 'File with the passphrase that encrypts the backup; at least 12 characters',
} as const

export const treeLine = ({ size, root }: { readonly size: number; readonly root: string | null }): string =>
  `Audit tree: ${String(size)} events, root hash ${root ?? 'none'}`

export const backupCommand = defineCommand<{
  out: string
  'passphrase-file': string | undefined
  json: boolean
}>({
  command: 'backup',
  describe: 'Write the event log, vault, working tables, audit proof and secret key to one file',
  builder: (args) =>
    args
      .option('out', { type: 'string', demandOption: true, describe: 'File to write; it must not exist' })
      .option('passphrase-file', passphraseFileOption)
      .option('json', { type: 'boolean', default: false, describe: 'Print the result as JSON' }),
  handler: async ({ out, passphraseFile, json }) => {
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { backUp } = await import('../server/backup.ts')
    const report = await backUp(config, log, { out, passphraseFile, progressed: progressOnStderr() })
    if (json) {
      process.stdout.write(`${JSON.stringify(report)}\n`)
      return
    }
    const { events, rows, bytes, tree, secretKey, encrypted } = report
    process.stdout.write(
      `Wrote ${String(events)} events and ${String(rows - events)} other rows to ${out} (${String(bytes)} bytes).\n${treeLine(tree)}\n`,
    )
    if (secretKey && !encrypted)
      process.stderr.write(
        'The file contains the secret key in plain text: keep it as safe as the key, or use --passphrase-file.\n',
      )
    if (!secretKey)
      process.stdout.write('The file does not contain SVC_SECRET_KEY: store the key separately.\n')
  },
})
