import { filesOption, pruneOption, serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

interface Options {
  readonly dir: string
  readonly server: string | undefined
  readonly prune: boolean
  readonly json: boolean
  readonly detailedExitcode: boolean
}

export const planCommand = defineCommand<Options>({
  command: 'plan',
  describe: 'Show what "svc apply" would change in the service',
  builder: (args) =>
    args
      .option('dir', filesOption)
      .option('server', serverOption)
      .option('prune', pruneOption)
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
      .option('detailedExitcode', {
        type: 'boolean',
        default: false,
        describe: 'Exit with 7 if there are changes, and with 0 only if there are none',
      }),
  handler: async ({ dir, server, prune, json, detailedExitcode }) => {
    const { ownAdminApi } = await import('../client/admin-api.ts')
    const { readFiles } = await import('../client/configuration/files.ts')
    const { planOf } = await import('../client/configuration/plan.ts')
    const { lastChangeFrom, stepText, summaryText } = await import('../client/configuration/print.ts')
    const { readSnapshot } = await import('../client/configuration/snapshot.ts')
    const { CliError, exitCodes } = await import('../server/exit-codes.ts')
    const desired = await readFiles(dir)
    const api = await ownAdminApi(server)
    const { snapshot } = await readSnapshot(api, desired)
    const plan = planOf(desired, snapshot, { prune, sendSecrets: false })
    if (json) process.stdout.write(`${JSON.stringify(plan)}\n`)
    else {
      const lastChange = lastChangeFrom(api)
      for (const step of plan.steps) process.stdout.write(stepText(step, await lastChange(step)))
      process.stdout.write(summaryText(plan))
    }
    if (detailedExitcode && plan.steps.length > 0)
      throw new CliError(exitCodes.changes, `the service differs from the files in ${dir}`)
  },
})
