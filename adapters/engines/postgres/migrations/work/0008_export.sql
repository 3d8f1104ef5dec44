-- Exports of data. An instance works on an export for as long as it renews the lease; another one that takes it over
-- starts again from the beginning, as the next attempt.
create table work.export (
  id text primary key,
  requested_by text,
  requested_at timestamptz not null,
  kinds text[] not null,
  format text not null,
  -- The state at this time; null: when the export starts.
  at timestamptz,
  -- queued, running, ready or failed
  status text not null,
  attempt integer not null default 0,
  leased_until timestamptz,
  -- The log position of the state; null until the export has started.
  position text,
  -- Rows that are written, and about how many there are.
  rows bigint not null default 0,
  total bigint not null default 0,
  finished_at timestamptz,
  expires_at timestamptz not null,
  -- Of the file. Its key is encrypted by the vault; both are deleted when the file has been downloaded.
  bytes bigint not null default 0,
  sha256 text,
  sealed_key text,
  checkpoint text,
  downloaded_at timestamptz
);
create index export_unfinished on work.export (requested_at) where status in ('queued', 'running');

-- The file in encrypted pieces.
create table work.export_piece (
  export_id text not null references work.export (id) on delete cascade,
  attempt integer not null,
  number integer not null,
  content bytea not null,
  primary key (export_id, attempt, number)
);
alter table work.export_piece alter column content set storage external;
