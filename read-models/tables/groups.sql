create table groups (
  id text primary key,
  status text not null,
  name text not null,
  -- Null once the name can be used again.
  name_key text,
  description text,
  rule jsonb,
  external_id text,
  owner_ids text[] not null,
  source text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index groups_name_key on groups (name_key text_pattern_ops);
create index groups_rule on groups (id) where rule is not null and status = 'exists';
create index groups_by_name on groups ((lower(name) collate "C"), id);
create index groups_created on groups (created_at, id);
create index groups_present on groups (id) where status = 'exists';
create index groups_external_id on groups (external_id) where status = 'exists' and external_id is not null;
