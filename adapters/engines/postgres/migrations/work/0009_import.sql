-- Imports of users and groups. An instance works on an import for as long as it renews the lease; any other continues
-- after the last line that was stored.
create table work.import (
  id text primary key,
  source text not null,
  -- Whether users and groups that exist get the values of the file
  updates boolean not null,
  requested_by text,
  requested_at timestamptz not null,
  -- checking, ready, running, done or failed
  status text not null,
  -- The last line of this status that is done
  reached integer not null default 0,
  lines integer not null,
  -- Columns of the file that mean nothing here
  ignored text[] not null,
  -- Who started it, with which roles; null until then
  actor jsonb,
  roles text[],
  invites boolean,
  finished_at timestamptz,
  expires_at timestamptz not null,
  leased_until timestamptz
);
create index import_unfinished on work.import (requested_at) where status in ('checking', 'running');

create table work.import_line (
  import_id text not null references work.import (id) on delete cascade,
  number integer not null,
  kind text not null,
  -- Address of a user, name of a group, in lower case; null for the other kinds and for lines with a problem
  key text,
  content jsonb not null,
  -- What the import does with it; null until it was checked
  action text,
  changes jsonb,
  message text,
  -- done or failed; null until it was made, or if nothing is to be done
  result text,
  primary key (import_id, number)
);
create index import_line_key on work.import_line (import_id, kind, key) where key is not null;
create index import_line_action on work.import_line (import_id, action, number);
create index import_line_result on work.import_line (import_id, result, number) where result is not null;
