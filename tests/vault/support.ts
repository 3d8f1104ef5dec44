import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import pg from 'pg'
import { migrateSchema } from '../../adapters/engines/postgres/migrate.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import type { Vault } from '../../adapters/engines/vault/vault.ts'
import { testDatabase } from '../support/service/postgres.ts'

export const keyA = 'a'.repeat(43)
export const keyB = 'b'.repeat(43)

export interface VaultDatabase {
  readonly url: string
  readonly pool: pg.Pool
  readonly open: (secretKey?: string) => Promise<Vault>
  readonly close: () => Promise<void>
}

/** A new database with an empty vault. Each `open` is another instance of the service. */
export const vaultDatabase = async (): Promise<VaultDatabase> => {
  const { url, drop } = await testDatabase()
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  pool.on('error', () => undefined)
  await migrateSchema(pool, 'vault')
  return {
    url,
    pool,
    open: (secretKey = keyA) => openVault({ pool, secretKey, now: () => new Date(), random: randomBytes }),
    close: async () => {
      await pool.end()
      await drop()
    },
  }
}

export const rejection = async (promise: Promise<unknown>): Promise<Error> => {
  try {
    await promise
  } catch (error) {
    expect(error).to.be.instanceOf(Error)
    return error as Error
  }
  throw new Error('expected a rejection')
}

/** The text with one bit of its n-th character flipped; n wraps around. */
export const flipBit = (text: string, place: number, bit: number): string => {
  const at = place % text.length
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1)
}
