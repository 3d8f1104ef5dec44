/**
 * The tree over the event log and the key that signs for it. Neither can be made anew once events were pruned or others
 * hold what was signed: with the log and the vault they are what a backup must hold.
 */
import type { Pool } from 'pg'

const sql = `
create schema if not exists proof;

create table if not exists proof.tree (
  only_one boolean primary key default true check (only_one),
  size bigint not null,
  -- Of the last event that is a leaf.
  position text collate "C" not null,
  time text not null
);
insert into proof.tree (size, position, time) values (0, '', '') on conflict do nothing;

-- Hashes whose tiles are not full yet: fewer than 256 of each level.
create table if not exists proof.open_hash (
  level smallint not null,
  index bigint not null,
  hash bytea not null,
  -- Of the event, at level 0.
  position text collate "C",
  primary key (level, index)
);

-- 256 hashes of a level, which never change. Those of level 0 outlive the events that they are of.
create table if not exists proof.tile (
  level smallint not null,
  index bigint not null,
  hashes bytea not null,
  positions text[],
  first_position text collate "C",
  primary key (level, index)
);
create index if not exists tile_first_position on proof.tile (first_position) where level = 0;

create table if not exists proof.key (
  name text primary key,
  public_key bytea not null,
  sealed_private_key text not null,
  created_at timestamptz not null
);`

/** Makes the schema `proof` where it is missing. Two at once are safe. */
export const migrateProof = async (pool: Pool): Promise<void> => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('svc.migrate.proof'))`)
    await client.query(sql)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}
