/**
 * `svc accept-lost-secret-key`: restores a service whose secret key is lost permanently. Every step can be repeated,
 * and until the last one only this command can open the vault. After an interruption, run it again.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { nodeBytes } from '../../adapters/engines/audit/bytes.ts'
import { headOfNote } from '../../adapters/engines/audit/heads.ts'
import { auditSigner, replaceLostAuditKey } from '../../adapters/engines/audit/signer.ts'
import { treeState } from '../../adapters/engines/audit/tree.ts'
import { samlCertificateCommands } from '../../adapters/application/commands/saml-certificates.ts'
import { sshAuthorityCommands } from '../../adapters/application/commands/ssh-authority.ts'
import { signingKeyCommands } from '../../adapters/application/commands/signing-keys.ts'
import type { Actor } from '../../adapters/application/services/handle.ts'
import { forgetSealedWork } from '../../adapters/engines/postgres/forget-sealed.ts'
import { outlivesConnections } from '../../adapters/engines/postgres/pool.ts'
import {
  acceptLoss,
  aloneAcceptingLoss,
  finishLoss,
  LossRefused,
  type Loss,
} from '../../adapters/engines/vault/accept-loss.ts'
import { RotationRefused } from '../../adapters/engines/vault/rotate.ts'
import { SecretKeyError } from '../../adapters/engines/vault/secret-key.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { verifierText } from '../../domain/audit/signed-note.ts'
import { secretKeyDecider, secretKeyStream } from '../../domain/secret-key/decider.ts'
import { countUnreadable, type Unreadable } from '../../read-models/queries/unreadable.ts'
import type { Config } from './config.ts'
import { startCore, type Core } from './core.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'
import { withStorage } from './offline.ts'
import { rebuildStorage } from './rebuild.ts'
import { secretKeyAfterLoss, type PresentKey } from './secret-key-file.ts'
import { systemActor } from './setup-link.ts'
import { dataDirOf, migrateLasting, type Storage } from './storage.ts'

export const WHAT_IS_LOST = `this permanently discards everything that is encrypted with the lost SVC_SECRET_KEY:
  - names, addresses and all other personal data of users. Their accounts, roles, groups and passkeys are kept
  - authenticator apps and recovery codes: their codes no longer work
  - secrets of webhook endpoints and tokens of SCIM services, which must be set up again
  - keys that sign tokens, SAML responses and audit checkpoints: new ones are created
  - refresh tokens, and codes and links that were not used yet
First look for the key again, and back up the database: its tables contain names and addresses in plain text until
this command runs. Then stop the service, set SVC_SECRET_KEY to a new key unless the data folder holds it, and run:
  svc accept-lost-secret-key --yes-the-key-is-lost`

/** Maximum milliseconds until the tree is signed with its new key. */
const SIGNED_MS = 60_000
const LOOK_MS = 100

/** Returns the new key: the configured one, or that of the data folder, which is created if missing. */
const presentKey = async (config: Config, log: Log): Promise<PresentKey> => {
  if (config.secretKey !== undefined || config.database.kind !== 'embedded')
    return { key: config.secretKey, keep: () => Promise.resolve() }
  const dataDir = await dataDirOf(config, log)
  return secretKeyAfterLoss({ dataDir, databaseDir: join(dataDir, 'postgres'), randomBytes })
}

/**
 * Waits until the head of the audit tree is signed with the new key. If a service starts earlier, it signs the head.
 */
const treeSigned = async (pool: pg.Pool, signer: ReturnType<typeof auditSigner>): Promise<void> => {
  const verifier = await signer()
  for (const end = Date.now() + SIGNED_MS; Date.now() < end; await delay(LOOK_MS))
    if (headOfNote(verifier, (await treeState(pool)).note) !== null) return
}

/** Replaces the lost keys and records the loss. */
const replaceKeys = async (core: Core, losses: readonly Loss[]): Promise<Unreadable> => {
  const { services, workPool } = core
  const signer = auditSigner({ ...services, pool: workPool })
  const actor: Actor = { ...systemActor(), actorType: 'cli' }
  await core.caughtUp()
  const auditKey = verifierText(nodeBytes, await signer())
  for (const loss of losses)
    await services.handle(
      secretKeyDecider,
      secretKeyStream,
      { type: 'accept_loss', loss: { ...loss, auditKey } },
      actor,
    )
  await signingKeyCommands(services).replaceLost(actor)
  await samlCertificateCommands(services).replaceLost(actor)
  await sshAuthorityCommands(services).replaceLost(actor)
  await core.caughtUp()
  await treeSigned(workPool, signer)
  return countUnreadable(services.pool)
}

const afterKeyring = async (
  storage: Storage,
  config: Config,
  log: Log,
  pool: pg.Pool,
  losses: readonly Loss[],
): Promise<Unreadable> => {
  await forgetSealedWork(pool)
  const vault = await openVault({
    pool,
    secretKey: storage.secretKey,
    now: () => new Date(),
    random: randomBytes,
    acceptingLoss: true,
  })
  await replaceLostAuditKey(pool, vault, new Date())
  await rebuildStorage(storage, log, { verify: false, acceptingLoss: true })
  const core = await startCore(storage, config, log, { acceptingLoss: true })
  try {
    return await replaceKeys(core, losses)
  } finally {
    await core.stop()
  }
}

const summary = ({ people, webhooks, provisioning, authenticators }: Unreadable): string =>
  `The loss is accepted. The service now uses the current SVC_SECRET_KEY.
  ${String(people)} users have no readable name or address: enter them again (PATCH /api/v1/users/{id}).
  ${String(authenticators)} authenticator apps no longer work: reset the sign-in methods of users without a passkey.
  ${String(webhooks)} webhook endpoints have no readable signing secret: create new ones and delete these.
  ${String(provisioning)} SCIM services need a new token.
Start the service. If no administrator has a passkey, run: svc bootstrap --force
`

/**
 * Accepts the loss, or continues after an interruption.
 * @returns the report
 * @throws CliError while the service runs, if the current key decrypts the keyring, and for an invalid key
 */
export const acceptLostSecretKey = async (config: Config, log: Log): Promise<string> => {
  const { key, keep } = await presentKey(config, log)
  return withStorage({ ...config, secretKey: key }, log, async (storage) => {
    await migrateLasting(storage)
    const pool = outlivesConnections(new pg.Pool({ connectionString: storage.databaseUrl, max: 4 }))
    try {
      return await aloneAcceptingLoss(pool, async () => {
        const { losses } = await acceptLoss({
          pool,
          secretKey: storage.secretKey,
          now: () => new Date(),
          random: randomBytes,
          beforeCommit: keep,
        })
        const unreadable = await afterKeyring(storage, config, log, pool, losses)
        await finishLoss(pool, losses, new Date())
        return summary(unreadable)
      })
    } catch (error) {
      if (error instanceof LossRefused || error instanceof RotationRefused || error instanceof SecretKeyError)
        throw new CliError(exitCodes.error, error.message, { cause: error })
      throw error
    } finally {
      await pool.end()
    }
  })
}
