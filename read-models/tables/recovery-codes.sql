create table recovery_codes (
  user_id text primary key,
  -- Keyed hashes of those that are left.
  hashes text[] not null,
  generated_at timestamptz not null
);
