import { defineCommand } from '../program.ts'
import { passphraseFileOption, progressOnStderr, treeLine } from './backup.ts'

export const restoreCommand = defineCommand<{
  file: string | undefined
  'passphrase-file': string | undefined
  json: boolean
}>({
  command: 'restore <file>',
  describe: 'Restore a backup into an empty data folder or database, and verify its audit tree',
  builder: (args) =>
    args
      .positional('file', { type: 'string', describe: 'File that svc backup wrote' })
      .option('passphrase-file', passphraseFileOption)
      .option('json', { type: 'boolean', default: false, describe: 'Print the result as JSON' }),
  handler: async ({ file = '', passphraseFile, json }) => {
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { restore } = await import('../server/restore.ts')
    const report = await restore(config, log, { file, passphraseFile, progressed: progressOnStderr() })
    const { events, rows, takenAt, writtenBy, tree } = report
    process.stdout.write(
      json
        ? `${JSON.stringify(report)}\n`
        : [
            `Restored ${String(events)} events and ${String(rows - events)} other rows, as of ${takenAt}, written by svc ${writtenBy}.`,
            `${treeLine(tree)}, recomputed from the restored log.`,
            'Next: make sure that the former instance is stopped, then run: svc audit verify',
            'Then start the service with the same SVC_PUBLIC_URL as before: svc serve',
            '',
          ].join('\n'),
    )
  },
})
