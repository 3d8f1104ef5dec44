create table lifecycle_runs (
  id text primary key,
  rule_id text not null,
  user_id text not null,
  status text not null,
  trigger_type text not null,
  -- What happened: the id of an event, or a date.
  trigger_key text not null,
  trigger_event_id text,
  trigger_at timestamptz not null,
  -- Of the profile.
  trigger_date text,
  due_at timestamptz not null,
  depth integer not null,
  -- Types of the actions, in order.
  actions text[] not null,
  -- [{step, status, error, at}, …] of those that were carried out.
  steps jsonb not null,
  skip_reason text,
  from_position text collate "C" not null,
  created_at timestamptz not null,
  created_by text,
  audit_id text,
  started_at timestamptz,
  finished_at timestamptz
);
create index lifecycle_runs_of_rule on lifecycle_runs (rule_id, from_position);
create index lifecycle_runs_of_user on lifecycle_runs (user_id, from_position);
create index lifecycle_runs_in_order on lifecycle_runs (from_position);
create index lifecycle_runs_once on lifecycle_runs (rule_id, user_id, trigger_key);
create index lifecycle_runs_due on lifecycle_runs (due_at) where status in ('scheduled', 'running');
