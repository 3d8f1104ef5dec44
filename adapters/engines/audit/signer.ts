/** The signing key of the audit tree: Ed25519, created once, its private half encrypted by the vault. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import type pg from 'pg'
import { signNote, verifierOf, type Verifier, type Verify } from '../../../domain/audit/signed-note.ts'
import { SealLost } from '../vault/aead.ts'
import type { Vault } from '../vault/vault.ts'
import { nodeBytes } from './bytes.ts'

export const AUDIT_KEY_PURPOSE = 'audit-key'

/** DER prefix of an Ed25519 public key, before its 32 bytes (RFC 8410 §4). */
export const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

export const verifyEd25519: Verify = (publicKey, text, signature) =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' }),
    signature,
  )

export interface Signer extends Verifier {
  /** Returns a text as a signed note. */
  readonly note: (text: string) => string
}

/** The name of the log in its checkpoints: the public address without its scheme. */
const originOf = (publicUrl: string): string => {
  const { host, pathname } = new URL(publicUrl)
  return `${host}${pathname.replace(/\/$/, '')}/audit`.replaceAll('+', '%2B')
}

interface KeyRow {
  readonly name: string
  readonly public_key: Buffer
  readonly sealed_private_key: string
}

const readKey = async (pool: pg.Pool | pg.ClientBase): Promise<KeyRow | undefined> => {
  const { rows } = await pool.query<KeyRow>('select name, public_key, sealed_private_key from proof.key')
  return rows[0]
}

const makeKey = async (
  pool: pg.Pool | pg.ClientBase,
  vault: Vault,
  name: string,
): Promise<KeyRow | undefined> => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length)
  const sealed = vault.seal(AUDIT_KEY_PURPOSE, privateKey.export({ format: 'der', type: 'pkcs8' }), name)
  // Several instances may create a key at the same time: all use the row that was inserted first.
  await pool.query(
    'insert into proof.key (name, public_key, sealed_private_key) values ($1, $2, $3) on conflict do nothing',
    [name, raw, sealed],
  )
  return readKey(pool)
}

/**
 * Returns the public halves of keys that were lost with the secret key, and the tree size up to which each may have
 * signed.
 */
export const formerKeys = async (
  client: pg.Pool | pg.ClientBase,
): Promise<readonly { readonly verifier: Verifier; readonly size: number }[]> => {
  const { rows } = await client.query<Pick<KeyRow, 'name' | 'public_key'> & { readonly size: string }>(
    'select name, public_key, size::text from proof.former_key order by replaced_at',
  )
  return rows.map(({ name, public_key, size }) => ({
    verifier: verifierOf(nodeBytes, name, public_key),
    size: Number(size),
  }))
}

/**
 * Creates another key with the same name if the private half of the current key was lost with the secret key. The
 * former public key is kept, so that its checkpoints can still be verified. Changes nothing if the current key can be
 * decrypted.
 */
export const replaceLostAuditKey = async (pool: pg.Pool, vault: Vault, now: Date): Promise<void> => {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('begin')
    await client.query('lock table proof.key in exclusive mode')
    const row = await readKey(client)
    if (row !== undefined && isLost(vault, row)) {
      await client.query(
        `insert into proof.former_key (name, public_key, sealed_private_key, replaced_at, size)
         select $1, $2, $3, $4, size from proof.tree`,
        [row.name, row.public_key, row.sealed_private_key, now],
      )
      await client.query('delete from proof.key')
      await makeKey(client, vault, row.name)
    }
    await client.query('commit')
    broken = false
  } finally {
    client.release(broken)
  }
}

const isLost = (vault: Vault, { name, sealed_private_key }: KeyRow): boolean => {
  try {
    vault.open(AUDIT_KEY_PURPOSE, sealed_private_key, name)
    return false
  } catch (error) {
    if (error instanceof SealLost) return true
    throw error
  }
}

/**
 * Loads the key, or creates it on first use. Its name never changes, even if the public address does: whoever stores
 * checkpoints would take another name for another log.
 */
export const auditSigner = (deps: {
  readonly pool: pg.Pool
  readonly vault: Vault
  readonly publicUrl: string
}): (() => Promise<Signer>) => {
  const { pool, vault, publicUrl } = deps
  let known: Signer | null = null
  return async () => {
    if (known !== null) return known
    const row = (await readKey(pool)) ?? (await makeKey(pool, vault, originOf(publicUrl)))
    if (row === undefined) throw new Error('the audit key could not be created')
    const key = createPrivateKey({
      key: vault.open(AUDIT_KEY_PURPOSE, row.sealed_private_key, row.name),
      format: 'der',
      type: 'pkcs8',
    })
    const verifier = verifierOf(nodeBytes, row.name, row.public_key)
    known = {
      ...verifier,
      note: (text) => signNote(nodeBytes, text, verifier, (signed) => sign(null, Buffer.from(signed), key)),
    }
    return known
  }
}
