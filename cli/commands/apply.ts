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
      .option('dir', {
        alias: 'f',
        type: 'string',
        demandOption: true,
        describe: 'The folder with the files',
      })
      .option('server', {
        type: 'string',
        describe: 'Address of the service; default: where you are signed in',
      })
      .option('prune', {
        type: 'boolean',
        default: false,
        describe: 'Delete the records of a kind that its file does not describe',
      })
      .option('secrets', {
        type: 'string',
        describe: 'A file to which the secrets of new applications and webhooks are appended, as NDJSON',
      }),
  handler: async ({ dir, server, prune, secrets }) => {
    const { appendFile } = await import('node:fs/promises')
    const { ownAdminApi } = await import('../client/admin-api.ts')
    const { applyPlan, mustBeDone } = await import('../client/configuration/apply.ts')
    const { readFiles } = await import('../client/configuration/files.ts')
    const { planOf } = await import('../client/configuration/plan.ts')
    const { stepText } = await import('../client/configuration/print.ts')
    const { readSnapshot } = await import('../client/configuration/snapshot.ts')
    const desired = await readFiles(dir)
    const api = await ownAdminApi(server)
    const { snapshot, names } = await readSnapshot(api)
    const plan = planOf(desired, snapshot, prune)
    await applyPlan(
      api,
      plan,
      names,
      (step) => void process.stdout.write(stepText(step, '')),
      secrets === undefined
        ? null
        : (secret) => appendFile(secrets, `${JSON.stringify(secret)}\n`, { mode: 0o600 }),
    )
    if (plan.steps.length > 0) mustBeDone(planOf(desired, (await readSnapshot(api)).snapshot, prune))
    process.stdout.write(
      plan.steps.length === 0
        ? 'The service is what the files say.\n'
        : `Done: ${String(plan.steps.length)} records changed.\n`,
    )
  },
})
