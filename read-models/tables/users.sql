create table users (
  id text primary key,
  source text not null,
  status text not null,
  erased boolean not null default false,
  email text not null,
  -- Null once the address can be used again.
  email_key text,
  email_verified boolean not null default false,
  name text not null,
  given_name text,
  family_name text,
  department text,
  title text,
  employee_id text,
  manager_id text,
  location text,
  phone text,
  phone_primary boolean,
  locale text,
  time_zone text,
  start_date text,
  end_date text,
  external_id text,
  user_name text,
  user_name_key text,
  custom jsonb not null default '{}',
  roles text[] not null default '{}',
  suspend_reason text,
  invited_at timestamptz not null,
  activated_at timestamptz,
  suspended_at timestamptz,
  deleted_at timestamptz,
  locked_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null,
  -- Tokens of grants issued before this log position are invalid.
  tokens_void_before text collate "C"
);
create index users_email_key on users (email_key);
create index users_user_name_key on users (user_name_key);
create index users_external_id on users (external_id) where external_id is not null;
create index users_created on users (created_at desc, id desc);
create index users_name on users (lower(name) text_pattern_ops);
create index users_global_admins on users (id) where roles @> '{global_admin}';
create index users_by_name on users ((lower(name) collate "C"), id);
create index users_by_email on users ((lower(email) collate "C"), id);
create index users_by_manager on users (manager_id) where manager_id is not null;
create index users_present on users (id) where status <> 'deleted';
create index users_by_start on users (start_date) where start_date is not null;
create index users_by_end on users (end_date) where end_date is not null;
