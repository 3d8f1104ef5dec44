-- The fingerprint of each table at its creation.
create table fingerprint (
  name text primary key,
  fingerprint jsonb not null
);
