import { defineCommand } from '../program.ts'

export const rotateSecretKeyCommand = defineCommand({
  command: 'rotate-secret-key',
  describe: 'Re-encrypt stored secrets from SVC_SECRET_KEY to SVC_NEW_SECRET_KEY; stop the service first',
  builder: (args) => args,
  handler: async () => {
    const { fromEnvironment } = await import('../server/environment.ts')
    const { rotateStoredSecrets } = await import('../server/rotate-stored-secrets.ts')
    const { config, log } = fromEnvironment()
    process.stdout.write(await rotateStoredSecrets(config, log))
  },
})
