create table linked_accounts (
  id text primary key,
  user_id text not null,
  identity_provider_id text not null,
  -- Null once the user is erased.
  subject text,
  email text,
  linked_at timestamptz not null
);
create index linked_accounts_user on linked_accounts (user_id);
create index linked_accounts_subject on linked_accounts (identity_provider_id, subject);
