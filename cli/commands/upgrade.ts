import { CliError, exitCodes } from '../server/exit-codes.ts'
import type { UpgradeCheck } from '../server/upgrade-check.ts'
import { defineCommand } from '../program.ts'

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

const lines = (
  { migrations, build }: UpgradeCheck,
  inWords: (seconds: number) => string,
): readonly string[] => {
  if (migrations.length === 0 && build === null) return ['Nothing to upgrade.']
  const migrating = migrations.length === 0 ? [] : [`Migrations to apply: ${migrations.join(', ')}`]
  if (build === null) return migrating
  const { replayed, copied, events, secondsToReplay, secondsToCopy, diskNeeded, diskFree } = build
  return [
    ...migrating,
    `Tables to rebuild: ${replayed.length === 0 ? 'none' : `${String(replayed.length)} (${replayed.join(', ')})`}`,
    `Tables to copy: ${copied.length === 0 ? 'none' : `${String(copied.length)}, in about ${inWords(Math.ceil(secondsToCopy))}`}`,
    events === null || secondsToReplay === null
      ? 'Events to replay: unknown until the migrations are applied'
      : `Events to replay: ${String(events)}, in about ${inWords(Math.ceil(secondsToReplay))}`,
    `Disk: about ${mebibytes(diskNeeded)} needed${diskFree === null ? '' : `, ${mebibytes(diskFree)} free`}`,
  ]
}

export const upgradeCommand = defineCommand<{ check: boolean; json: boolean }>({
  command: 'upgrade',
  describe: 'Print what the next start of this release would do to the database, without changing anything',
  builder: (args) =>
    args
      .option('check', { type: 'boolean', default: false, describe: 'Required: only print the plan' })
      .option('json', { type: 'boolean', default: false, describe: 'Print the result as JSON' }),
  handler: async ({ check, json }) => {
    if (!check)
      throw new CliError(
        exitCodes.usage,
        '"svc serve" and "svc migrate" upgrade. "svc upgrade --check" prints what they would do.',
      )
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { checkUpgrade } = await import('../server/upgrade-check.ts')
    const { inWords } = await import('../server/upgrade-progress.ts')
    const found = await checkUpgrade(config, log)
    process.stdout.write(json ? `${JSON.stringify(found)}\n` : `${lines(found, inWords).join('\n')}\n`)
  },
})
