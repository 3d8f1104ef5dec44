import { filesOption, pruneOption, serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

interface Options {
  readonly dir: string
  readonly server: string | undefined
  readonly prune: boolean
  readonly secrets: string | undefined
}

export const applyCommand = defineCommand<Options>({
  command: 'apply',
  describe: 'Change the service until it is what the files say; "svc plan" shows what that means',
  builder: (args) =>
    args
      .option('dir', filesOption)
      .option('server', serverOption)
      .option('prune', pruneOption)
      .option('secrets', {
        type: 'string',
        describe: 'A file to which the secrets of new applications and webhooks are appended, as NDJSON',
      }),
  handler: async ({ dir, server, prune, secrets }) => {
    const { appendFile, chmod } = await import('node:fs/promises')
    const { ownAdminApi } = await import('../client/admin-api.ts')
    const { applyPlan, mustBeDone } = await import('../client/configuration/apply.ts')
    const { readFiles } = await import('../client/configuration/files.ts')
    const { planOf } = await import('../client/configuration/plan.ts')
    const { stepText } = await import('../client/configuration/print.ts')
    const { readSnapshot } = await import('../client/configuration/snapshot.ts')
    const { CliError, exitCodes } = await import('../server/exit-codes.ts')
    const desired = await readFiles(dir)
    const api = await ownAdminApi(server)
    const { snapshot, names } = await readSnapshot(api, desired)
    const plan = planOf(desired, snapshot, { prune, sendSecrets: false })
    if (secrets !== undefined) {
      try {
        await appendFile(secrets, '', { mode: 0o600 })
        // The file may have existed before, readable for others.
        await chmod(secrets, 0o600)
      } catch (error) {
        throw new CliError(
          exitCodes.usage,
          `--secrets: cannot write ${secrets}: ${error instanceof Error ? error.message : String(error)}`,
        )
      }
    }
    await applyPlan(
      api,
      plan,
      names,
      (step) => void process.stdout.write(stepText(step, '')),
      secrets === undefined ? null : (secret) => appendFile(secrets, `${JSON.stringify(secret)}\n`),
    )
    if (plan.steps.length > 0)
      mustBeDone(planOf(desired, (await readSnapshot(api)).snapshot, { prune, sendSecrets: false }))
    process.stdout.write(
      plan.steps.length === 0
        ? 'The service is what the files say.\n'
        : `Done: ${String(plan.steps.length)} records changed.\n`,
    )
  },
})
