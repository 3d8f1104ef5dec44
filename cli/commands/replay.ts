import { CliError, exitCodes } from '../server/exit-codes.ts'
import { defineCommand } from '../program.ts'

/** Milliseconds between two progress messages. */
const PROGRESS_MS = 2000

const withoutPassword = (url: string): string => {
  const shown = new URL(url)
  shown.password = ''
  return shown.href
}

export const replayCommand = defineCommand<{ until: string; into: string }>({
  command: 'replay',
  describe: 'Rebuild the read models as of a past time in an empty database',
  builder: (args) =>
    args
      .option('until', {
        type: 'string',
        demandOption: true,
        describe: 'A time (2026-01-31T09:30:00Z) or a log position (X-Log-Position)',
      })
      .option('into', {
        type: 'string',
        demandOption: true,
        describe: 'URL of an empty Postgres database',
      }),
  handler: async ({ until, into }) => {
    if (!/^postgres(ql)?:\/\//.test(into) || !URL.canParse(into))
      throw new CliError(
        exitCodes.usage,
        '--into: expected the URL of a Postgres database, for example postgres://user@localhost/svc_past',
      )
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { replayInto, untilOf } = await import('../server/replay.ts')
    const { READ_MODELS } = await import('../../read-models/schema.ts')
    let reportedAt = performance.now()
    const { position, events, rootHash, readOnly, seconds } = await replayInto(config, log, {
      until: untilOf(until),
      into,
      progress: (what, done) => {
        if (performance.now() - reportedAt < PROGRESS_MS) return
        reportedAt = performance.now()
        process.stderr.write(`${what}: ${String(done)} events\n`)
      },
    })
    const options = readOnly
      ? ''
      : `PGOPTIONS='-c search_path=${READ_MODELS} -c default_transaction_read_only=on' `
    process.stdout.write(
      [
        `Position:  ${position === '' ? 'before the first event' : position}`,
        `Events:    ${String(events)}`,
        `Root hash: ${rootHash ?? 'unknown: the audit tree has not reached this position'}`,
        `Replayed in ${seconds.toFixed(1)} s. To connect${readOnly ? ' (the database is read-only)' : ''}:`,
        `  ${options}psql '${withoutPassword(into)}'`,
        '',
      ].join('\n'),
    )
  },
})
