-- The tree over the event log and its signing key, in the shape of release 0.1.0, which had no table of migrations: on a
-- database of that release this changes nothing.

create table if not exists proof.tree (
  only_one boolean primary key default true check (only_one),
  size bigint not null,
  -- Of the last event that is a leaf.
  position text collate "C" not null,
  time text not null,
  -- A hash over the positions, times and retention of the leaves, and the signatures over both heads.
  places bytea not null default '',
  note text not null default '',
  places_note text not null default ''
);
insert into proof.tree (size, position, time) values (0, '', '') on conflict do nothing;

-- Hashes whose tiles are not full yet: fewer than 256 of each level.
create table if not exists proof.open_hash (
  level smallint not null,
  index bigint not null,
  hash bytea not null,
  -- Of the event, at level 0.
  position text collate "C",
  recorded bigint,
  kept text,
  primary key (level, index)
);

-- 256 hashes of a level, which never change. Those of level 0 outlive the events that they are of.
create table if not exists proof.tile (
  level smallint not null,
  index bigint not null,
  hashes bytea not null,
  positions text[],
  first_position text collate "C",
  recorded bigint[],
  kept text[],
  primary key (level, index)
);
create index if not exists tile_first_position on proof.tile (first_position) where level = 0;

create table if not exists proof.key (
  name text primary key,
  public_key bytea not null,
  sealed_private_key text not null
);
create unique index if not exists key_only_one on proof.key ((true));

-- Signed heads of the tree that were given out, and the first of each hour.
create table if not exists proof.checkpoint (
  size bigint primary key,
  note text not null
);
