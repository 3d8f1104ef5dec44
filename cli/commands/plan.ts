import { filesOption, pruneOption, sendSecretsOption, serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

interface Options {
  readonly dir: string
  readonly server: string | undefined
  readonly prune: boolean
  readonly sendSecrets: boolean
  readonly out: string | undefined
  readonly json: boolean
  readonly detailedExitcode: boolean
}

export const planCommand = defineCommand<Options>({
  command: 'plan',
  describe: 'Show what "svc apply" would change in the service',
  builder: (args) =>
    args
      .option('dir', { ...filesOption, demandOption: true })
      .option('server', serverOption)
      .option('prune', pruneOption)
      .option('sendSecrets', sendSecretsOption)
      .option('out', {
        type: 'string',
        describe: 'Write the plan to this file, for review in the console and for "svc apply --plan"',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON' })
      .option('detailedExitcode', {
        type: 'boolean',
        default: false,
        describe: 'Exit with 7 if there are changes, and with 0 only if there are none',
      }),
  handler: async ({ dir, server, prune, sendSecrets, out, json, detailedExitcode }) => {
    const { ownAdminApi } = await import('../client/admin-api.ts')
    const { readFiles } = await import('../client/configuration/files.ts')
    const { lastChangeOf } = await import('../client/configuration/last-change.ts')
    const { planOf } = await import('../client/configuration/plan.ts')
    const { PLAN_FORMAT } = await import('../../domain/configuration-plan/plan.ts')
    const { signedPlan, writePlanFile } = await import('../client/configuration/plan-file.ts')
    const { stepText, summaryText } = await import('../client/configuration/print.ts')
    const { readSnapshot } = await import('../client/configuration/snapshot.ts')
    const { CliError, exitCodes } = await import('../server/exit-codes.ts')
    const desired = await readFiles(dir)
    const api = await ownAdminApi(server)
    const { snapshot } = await readSnapshot(api, desired)
    const plan = planOf(desired, snapshot, { prune, sendSecrets })
    const steps = []
    for (const step of plan.steps) {
      const lastChange = await lastChangeOf(api, step)
      steps.push({ ...step, lastChange })
      if (!json) process.stdout.write(stepText(step, lastChange))
    }
    process.stdout.write(json ? `${JSON.stringify({ ...plan, steps })}\n` : summaryText(plan))
    if (out !== undefined) {
      const file = await signedPlan(api, { format: PLAN_FORMAT, server: api.server, ...plan, steps })
      await writePlanFile(out, file)
      process.stderr.write(`Review ${out} at ${api.server}/console/configuration-plan\n`)
    }
    if (detailedExitcode && plan.steps.length > 0)
      throw new CliError(exitCodes.changes, `the service differs from the files in ${dir}`)
  },
})
