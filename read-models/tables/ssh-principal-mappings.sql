create table ssh_principal_mappings (
  id text primary key,
  group_id text not null,
  principals text[] not null,
  max_validity_seconds integer,
  source_addresses text[] not null,
  extensions text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index ssh_principal_mappings_group on ssh_principal_mappings (group_id);
create index ssh_principal_mappings_created on ssh_principal_mappings (created_at, id);
