/** The vault's tables: wrapped keys only. With the log they are what a backup must hold. */
import type { Pool, PoolClient } from 'pg'

const schemaLock = 0x73766302

const sql = `
create schema if not exists vault;
create table if not exists vault.keyring (
  id text primary key,
  purpose text not null,
  wrapped bytea not null,
  wrapping_key text not null,
  created_at timestamptz not null
);
comment on column vault.keyring.wrapping_key is 'fingerprint of the secret key that wrapped this key';
alter table vault.keyring
  add column if not exists generation integer not null default 1,
  add column if not exists lost_at timestamptz;
create table if not exists vault.person_key (
  subject text collate "C" primary key,
  keyring_id text references vault.keyring (id),
  wrapped bytea,
  created_at timestamptz not null,
  destroyed_at timestamptz,
  check ((wrapped is null) = (destroyed_at is not null)),
  check ((wrapped is null) or (keyring_id is not null))
);
-- Keys of people whose wrapping key is lost: never used, kept for whoever finds the secret key after all.
create table if not exists vault.lost_person_key (
  subject text collate "C" not null,
  keyring_id text not null references vault.keyring (id),
  wrapped bytea not null,
  created_at timestamptz not null,
  primary key (subject, keyring_id)
);
-- Losses of the secret key that an operator has accepted; unfinished until the service can be started again.
create table if not exists vault.loss (
  generation integer primary key,
  former_fingerprint text not null,
  fingerprint text not null,
  accepted_at timestamptz not null,
  finished_at timestamptz
);`

/**
 * One transaction that is durable when this resolves, whatever the connection's default: a lost key is lost
 * data, and a destroyed key must not reappear.
 */
export const durably = async <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('begin; set local synchronous_commit = on')
    const result = await work(client)
    await client.query('commit')
    broken = false
    return result
  } finally {
    // Closing the connection rolls back, also when the connection itself is what failed.
    client.release(broken)
  }
}

/** Waits for its turn; held until the end of the transaction. */
export const lockVaultSchema = async (client: PoolClient): Promise<void> => {
  await client.query('select pg_advisory_xact_lock($1)', [schemaLock])
}

/** Creates the schema `vault`. Safe to repeat and to run from several processes at once. */
export const migrateVault = (pool: Pool): Promise<void> =>
  durably(pool, async (client) => {
    await lockVaultSchema(client)
    await client.query(sql)
  })
