import { generateKeyPairSync, sign } from 'node:crypto'
import { promisify } from 'node:util'
import pg from 'pg'
import { throughput } from './measure.ts'

/** Measures bare RSA-2048 signatures in the thread pool: the upper limit for everything that signs. */
export const rsaSignatures = (): Promise<number> => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signAsync = promisify(sign)
  const data = Buffer.alloc(500, 'a')
  return throughput(16, 3, () => signAsync('sha256', data, privateKey))
}

/**
 * Measures inserts of one small row with a commit each, on several connections: the limit of a log without batching.
 */
export const insertCommits = async (url: string, atOnce: number): Promise<number> => {
  const pool = new pg.Pool({ connectionString: url, max: atOnce })
  await pool.query('create schema if not exists bench')
  await pool.query('create table if not exists bench.raw (id bigserial primary key, data jsonb not null)')
  const data = JSON.stringify({ text: 'a'.repeat(200) })
  const rate = await throughput(atOnce, 3, () =>
    pool.query('insert into bench.raw (data) values ($1)', [data]),
  )
  await pool.query('drop schema bench cascade')
  await pool.end()
  return rate
}
