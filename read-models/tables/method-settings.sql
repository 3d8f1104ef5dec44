-- One row for each way to sign in whose settings were ever changed.
create table method_settings (
  type text primary key,
  enabled boolean not null,
  -- Null: everybody may use it.
  allowed_group_ids text[],
  -- Null for what is no WebAuthn authenticator.
  options jsonb,
  updated_at timestamptz not null,
  -- Of the settings of all methods together.
  version int not null
);
