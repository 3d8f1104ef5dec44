-- One row for each sign-in method whose settings were ever changed.
create table method_settings (
  type text primary key,
  enabled boolean not null,
  -- Null: all users may use it.
  allowed_group_ids text[],
  -- Null for a method that is not a WebAuthn authenticator.
  options jsonb,
  updated_at timestamptz not null,
  -- Version of the settings of all methods together.
  version int not null
);
