-- The last check of each domain: only what it changed is in the log.
create table work.domain_check (
  domain_id text primary key,
  checked_at timestamptz not null,
  -- TXT records that were found instead of the expected one.
  found_instead text[] not null
);
