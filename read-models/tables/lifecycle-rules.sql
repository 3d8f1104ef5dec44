create table lifecycle_rules (
  id text primary key,
  status text not null,
  name text not null,
  -- Lower case; null if deleted.
  name_key text,
  description text,
  trigger jsonb not null,
  -- Null: every user.
  conditions jsonb,
  actions jsonb not null,
  delay_minutes integer not null,
  category text,
  max_per_run integer not null,
  saved_by text,
  saved_as_global_admin boolean not null,
  enabled_by text,
  enabled_as_global_admin boolean not null,
  -- What happened before does not trigger the rule; null if it was never enabled.
  applies_from timestamptz,
  enabled_position text collate "C",
  -- When too many users were due, how many, and how many were started.
  paused_at timestamptz,
  paused_users integer,
  paused_started integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index lifecycle_rules_name_key on lifecycle_rules (name_key);
create index lifecycle_rules_by_name on lifecycle_rules ((lower(name) collate "C"), id);
create index lifecycle_rules_by_creation on lifecycle_rules (created_at, id);
