import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { AUDIT_KEY_PURPOSE } from '../../adapters/engines/audit/signer.ts'
import { IDENTITY_PROVIDER_SECRET } from '../../adapters/application/commands/identity-providers.ts'
import { SAML_KEY_PURPOSE, SIGNING_KEY_PURPOSE } from '../../adapters/application/services/configuration.ts'
import { outlivesConnections } from '../../adapters/engines/postgres/pool.ts'
import { PROVISIONING_TOKEN } from '../../adapters/outbound/provisioning/token.ts'
import { AUTHENTICATOR_SECRET } from '../../adapters/application/sign-in/totp/codes.ts'
import { RotationRefused, rotateSecretKey, type StoredSecret } from '../../adapters/engines/vault/rotate.ts'
import { SecretKeyError, wrappingKey } from '../../adapters/engines/vault/secret-key.ts'
import { SECRET_PURPOSE } from '../../adapters/outbound/webhooks/worker.ts'
import { secretKeyDecider, secretKeyStream } from '../../domain/secret-key/decider.ts'
import { READ_MODELS } from '../../read-models/schema.ts'
import type { Config } from './config.ts'
import { startCore } from './core.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { withStorage } from './offline.ts'
import { replaceSecretKey } from './secret-key-file.ts'
import { migrate } from './migrate.ts'
import { systemActor } from './setup-link.ts'
import type { Storage } from './storage.ts'

/** Yields private signing keys from the read models. */
const signingKeys = async function* (pool: pg.Pool): AsyncGenerator<StoredSecret> {
  const { rows } = await pool.query<{ id: string; sealed_private_key: string }>(
    `select id, sealed_private_key from ${READ_MODELS}.signing_keys`,
  )
  for (const { id, sealed_private_key } of rows)
    yield { what: `signing key ${id}`, sealed: sealed_private_key, purpose: SIGNING_KEY_PURPOSE, aad: id }
}

/** Yields private keys of SAML certificates from the read models. */
const samlKeys = async function* (pool: pg.Pool): AsyncGenerator<StoredSecret> {
  const { rows } = await pool.query<{ id: string; sealed_private_key: string }>(
    `select id, sealed_private_key from ${READ_MODELS}.saml_certificates`,
  )
  for (const { id, sealed_private_key } of rows)
    yield { what: `SAML certificate ${id}`, sealed: sealed_private_key, purpose: SAML_KEY_PURPOSE, aad: id }
}

/** Yields the secrets of authenticator apps in the read models; those of erased users no longer exist. */
const authenticatorSecrets = async function* (pool: pg.Pool): AsyncGenerator<StoredSecret> {
  const { rows } = await pool.query<{ id: string; sealed_secret: string }>(
    `select id, sealed_secret from ${READ_MODELS}.methods where sealed_secret is not null`,
  )
  for (const { id, sealed_secret } of rows)
    yield { what: `authenticator app ${id}`, sealed: sealed_secret, purpose: AUTHENTICATOR_SECRET, aad: id }
}

/** Yields the key that signs audit checkpoints. */
const auditKeys = async function* (pool: pg.Pool): AsyncGenerator<StoredSecret> {
  const { rows } = await pool.query<{ name: string; sealed_private_key: string }>(
    'select name, sealed_private_key from proof.key',
  )
  for (const { name, sealed_private_key } of rows)
    yield { what: `audit key ${name}`, sealed: sealed_private_key, purpose: AUDIT_KEY_PURPOSE, aad: name }
}

/** Yields the signing secrets of webhook endpoints, except deleted ones. */
const webhookSecrets = async function* (pool: pg.Pool): AsyncGenerator<StoredSecret> {
  const { rows } = await pool.query<{ id: string; sealed_secret: string }>(
    `select id, sealed_secret from ${READ_MODELS}.webhooks where status <> 'deleted'`,
  )
  for (const { id, sealed_secret } of rows)
    yield { what: `webhook secret ${id}`, sealed: sealed_secret, purpose: SECRET_PURPOSE, aad: id }
}

/** Yields the tokens for the SCIM services of applications. */
const provisioningTokens = async function* (pool: pg.Pool): AsyncGenerator<StoredSecret> {
  const { rows } = await pool.query<{ application_id: string; sealed_token: string }>(
    `select application_id, sealed_token from ${READ_MODELS}.provisioning where status = 'configured'`,
  )
  for (const { application_id, sealed_token } of rows)
    yield {
      what: `SCIM token of ${application_id}`,
      sealed: sealed_token,
      purpose: PROVISIONING_TOKEN,
      aad: application_id,
    }
}

/** Yields the client secrets for identity providers, except deleted ones. */
const identityProviderSecrets = async function* (pool: pg.Pool): AsyncGenerator<StoredSecret> {
  const { rows } = await pool.query<{ id: string; sealed_secret: string }>(
    `select id, sealed_secret from ${READ_MODELS}.identity_providers where sealed_secret is not null`,
  )
  for (const { id, sealed_secret } of rows)
    yield {
      what: `client secret for ${id}`,
      sealed: sealed_secret,
      purpose: IDENTITY_PROVIDER_SECRET,
      aad: id,
    }
}

const recordRotation = async (storage: Storage, config: Config, log: Log, newKey: string): Promise<void> => {
  const core = await startCore({ ...storage, secretKey: newKey }, config, log)
  try {
    await core.services.handle(
      secretKeyDecider,
      secretKeyStream,
      {
        type: 'record_rotation',
        rotation: {
          formerFingerprint: wrappingKey(storage.secretKey).fingerprint,
          fingerprint: wrappingKey(newKey).fingerprint,
        },
      },
      { ...systemActor(), actorType: 'cli' },
    )
  } finally {
    await core.stop()
  }
}

/**
 * Re-encrypts stored secrets from SVC_SECRET_KEY to SVC_NEW_SECRET_KEY, and records that in the log.
 * @returns what to print
 * @throws CliError while the service runs, or for invalid keys
 */
export const rotateStoredSecrets = async (config: Config, log: Log): Promise<string> => {
  const newKey = config.newSecretKey
  if (newKey === undefined)
    throw new CliError(
      exitCodes.usage,
      'SVC_NEW_SECRET_KEY must be set to the new key: at least 32 random bytes, openssl rand -base64 32',
    )
  return withStorage(config, log, async (storage) => {
    await migrate(storage, log)
    const pool = outlivesConnections(new pg.Pool({ connectionString: storage.databaseUrl, max: 3 }))
    try {
      const { outcome, proven } = await rotateSecretKey({
        pool,
        oldKey: storage.secretKey,
        newKey,
        random: randomBytes,
        provers: [
          auditKeys(pool),
          signingKeys(pool),
          samlKeys(pool),
          authenticatorSecrets(pool),
          webhookSecrets(pool),
          provisioningTokens(pool),
          identityProviderSecrets(pool),
        ],
      })
      await recordRotation(storage, config, log, newKey)
      // This comes last: until then a repeated run still finds the former key in the file.
      if (config.secretKey === undefined) await replaceSecretKey(storage.dataDir, newKey)
      const done = outcome === 'rotated' ? 'Rotated.' : 'An earlier run already rotated the key.'
      return (
        `${done} ${String(proven.keyring)} data keys, ${String(proven.personKeys)} person keys and ` +
        `${String(proven.secrets)} secrets can be decrypted with the new key alone.\n` +
        (config.secretKey === undefined ? '' : 'Start the service with SVC_SECRET_KEY set to the new key.\n')
      )
    } catch (error) {
      if (error instanceof RotationRefused || error instanceof SecretKeyError)
        throw new CliError(exitCodes.error, error.message, { cause: error })
      throw error
    } finally {
      await pool.end()
    }
  })
}
