import { filesOption, pruneOption, sendSecretsOption, serverOption } from '../client/options.ts'
import { defineCommand } from '../program.ts'

interface Options {
  readonly dir: string | undefined
  readonly plan: string | undefined
  readonly server: string | undefined
  readonly prune: boolean
  readonly sendSecrets: boolean
  readonly secrets: string | undefined
}

export const applyCommand = defineCommand<Options>({
  command: 'apply',
  describe: 'Change the service until it is what the files say; "svc plan" shows what that means',
  builder: (args) =>
    args
      .option('dir', filesOption)
      .option('plan', {
        type: 'string',
        describe: 'In place of the files: a plan of "svc plan --out", to make exactly its changes',
      })
      .option('server', serverOption)
      .option('prune', pruneOption)
      .option('sendSecrets', sendSecretsOption)
      .option('secrets', {
        type: 'string',
        describe: 'A file to which the secrets of new applications and webhooks are appended, as NDJSON',
      }),
  handler: async ({ dir, plan, server, prune, sendSecrets, secrets }) => {
    const { ownAdminApi } = await import('../client/admin-api.ts')
    const { applyFiles, applyPlanFile } = await import('../client/configuration/run.ts')
    const { secretsFile } = await import('../client/configuration/secrets-file.ts')
    const { stepText } = await import('../client/configuration/print.ts')
    const { CliError, exitCodes } = await import('../server/exit-codes.ts')
    if ((dir === undefined) === (plan === undefined))
      throw new CliError(exitCodes.usage, 'name either the files with --dir, or a plan with --plan')
    const api = await ownAdminApi(server)
    const report = {
      done: (step: Parameters<typeof stepText>[0]) => void process.stdout.write(stepText(step, null)),
      keep: secrets === undefined ? null : await secretsFile(secrets),
    }
    const { changed, planId } =
      plan === undefined
        ? await applyFiles(api, dir ?? '', { prune, sendSecrets }, report)
        : await applyPlanFile(api, plan, report)
    process.stdout.write(
      changed === 0
        ? 'The service is what the files say.\n'
        : `Done: ${String(changed)} records changed. Their audit entries have the correlation id ${planId}.\n`,
    )
  },
})
