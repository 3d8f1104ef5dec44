import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { SIGNING_KEY_PURPOSE } from '../../adapters/configuration.ts'
import { RotationRefused, rotateSecretKey, type StoredSecret } from '../../adapters/vault/rotate.ts'
import { SecretKeyError } from '../../adapters/vault/secret-key.ts'
import { READ_MODELS } from '../../read-models/migrate.ts'
import { fromEnvironment } from '../environment.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { withStorage } from '../offline.ts'
import { defineCommand } from '../program.ts'

/** Private signing keys, as the read models hold them. */
const signingKeys = async function* (pool: pg.Pool): AsyncGenerator<StoredSecret> {
  const { rows } = await pool.query<{ id: string; sealed_private_key: string }>(
    `select id, sealed_private_key from ${READ_MODELS}.signing_keys`,
  )
  for (const { id, sealed_private_key } of rows)
    yield { what: `signing key ${id}`, sealed: sealed_private_key, purpose: SIGNING_KEY_PURPOSE, aad: id }
}

export const rotateSecretKeyCommand = defineCommand({
  command: 'rotate-secret-key',
  describe: 'Re-encrypt stored secrets from SVC_SECRET_KEY to SVC_NEW_SECRET_KEY; stop the service first',
  builder: (args) => args,
  handler: async () => {
    const { config, log } = fromEnvironment()
    const newKey = config.newSecretKey
    if (newKey === undefined)
      throw new CliError(
        exitCodes.usage,
        'SVC_NEW_SECRET_KEY must be set to the new key: at least 32 random bytes, openssl rand -base64 32',
      )
    await withStorage(config, log, async (storage) => {
      const { migrate } = await import('../storage.ts')
      const { replaceSecretKey } = await import('../secret-key-file.ts')
      await migrate(storage)
      const pool = new pg.Pool({ connectionString: storage.databaseUrl, max: 3 })
      try {
        const { outcome, proven } = await rotateSecretKey({
          pool,
          oldKey: storage.secretKey,
          newKey,
          random: randomBytes,
          provers: [signingKeys(pool)],
        })
        if (config.secretKey === undefined) await replaceSecretKey(storage.dataDir, newKey)
        const done = outcome === 'rotated' ? 'Rotated.' : 'An earlier run had rotated already.'
        process.stdout.write(
          `${done} ${String(proven.keyring)} data keys, ${String(proven.personKeys)} person keys and ` +
            `${String(proven.secrets)} secrets open with the new key alone.\n` +
            (config.secretKey === undefined
              ? ''
              : 'Start the service with SVC_SECRET_KEY set to the new key.\n'),
        )
      } catch (error) {
        if (error instanceof RotationRefused || error instanceof SecretKeyError)
          throw new CliError(exitCodes.error, error.message, { cause: error })
        throw error
      } finally {
        await pool.end()
      }
    })
  },
})
