-- The shape of release 0.1.0, which had no table of migrations: on a database of that release this changes nothing.

create table if not exists vault.keyring (
  id text primary key,
  purpose text not null,
  wrapped bytea not null,
  wrapping_key text not null,
  created_at timestamptz not null
);
comment on column vault.keyring.wrapping_key is 'fingerprint of the secret key that wrapped this key';

create table if not exists vault.person_key (
  subject text collate "C" primary key,
  keyring_id text references vault.keyring (id),
  wrapped bytea,
  created_at timestamptz not null,
  destroyed_at timestamptz,
  check ((wrapped is null) = (destroyed_at is not null)),
  check ((wrapped is null) or (keyring_id is not null))
);
