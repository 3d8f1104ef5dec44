-- Dry runs of access policies on past sign-ins. An instance works on a run for as long as it renews the lease; any
-- other continues where the last one stored its progress.
create table work.policy_dry_run (
  id text primary key,
  started_by text,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- running, done, failed or cancelled
  status text not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  draft jsonb not null,
  total bigint not null,
  -- Results so far, and the sign-in after which to continue.
  tally jsonb not null,
  after_time timestamptz,
  after_id text,
  leased_until timestamptz
);
create index policy_dry_run_unfinished on work.policy_dry_run (started_at) where status = 'running';
