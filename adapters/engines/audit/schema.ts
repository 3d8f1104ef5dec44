/**
 * The tree over the event log and its signing key. Neither can be rebuilt after events were pruned or
 * checkpoints were published: a backup must contain them together with the log and the vault.
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
  sealed_private_key text not null
);
-- When it was made was never under any signature, and nothing needs it.
alter table proof.key drop column if exists created_at;
create unique index if not exists key_only_one on proof.key ((true));

-- Keys whose private half was lost with the secret key. What they signed before still counts.
create table if not exists proof.former_key (
  name text not null,
  public_key bytea primary key,
  sealed_private_key text not null,
  replaced_at timestamptz not null,
  -- Leaves that the tree had by then: no checkpoint of this key is of more.
  size bigint not null
);

-- Signed heads of the tree that were given out, and the first of each hour.
create table if not exists proof.checkpoint (
  size bigint primary key,
  note text not null
);
`

/**
 * Columns added later: the time and retention of each event, a hash over them, and signatures over both. An
 * older tree is rebuilt from the log, whose events were too young to be pruned.
 */
const signed = `
alter table proof.open_hash add column recorded bigint, add column kept text;
alter table proof.tile add column recorded bigint[], add column kept text[];
alter table proof.tree
  add column places bytea not null default '',
  add column note text not null default '',
  add column places_note text not null default '';
truncate proof.tile, proof.open_hash;
update proof.tree set size = 0, position = '', time = '';
do $$ begin
  if to_regclass('work.checkpoint') is not null then
    delete from work.checkpoint where name = 'audit-tree';
  end if;
end $$;`

const isSigned = `select from information_schema.columns
  where table_schema = 'proof' and table_name = 'tree' and column_name = 'places_note'`

/** Makes the schema `proof` where it is missing. Two at once are safe. */
export const migrateProof = async (pool: Pool): Promise<void> => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('svc.migrate.proof'))`)
    await client.query(sql)
    if ((await client.query(isSigned)).rowCount === 0) await client.query(signed)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}
