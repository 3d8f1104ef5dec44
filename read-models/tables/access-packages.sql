create table access_packages (
  id text primary key,
  status text not null,
  name text not null,
  -- Lower case; null if deleted.
  name_key text,
  description text,
  -- The groups that it grants.
  group_ids text[] not null,
  requestable boolean not null,
  requesters jsonb not null,
  approval jsonb not null,
  requester_justification_required boolean not null,
  -- Null: assignments do not expire.
  duration jsonb,
  incompatible_package_ids text[] not null,
  owner_ids text[] not null,
  questions jsonb not null,
  -- Null: no regular reviews.
  review jsonb,
  -- When the next regular review starts; null until the package is published.
  review_due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);
create index access_packages_name_key on access_packages (name_key);
create index access_packages_by_name on access_packages ((lower(name) collate "C"), id);
create index access_packages_by_creation on access_packages (created_at, id);
create index access_packages_granting on access_packages using gin (group_ids);
create index access_packages_incompatible on access_packages using gin (incompatible_package_ids);
