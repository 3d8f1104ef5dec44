alter table vault.keyring
  add column if not exists generation integer not null default 1,
  add column if not exists lost_at timestamptz;

-- Keys of users whose wrapping key is lost: never used, kept in case the key is found.
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
);
