create table recovery_codes (
  user_id text primary key,
  -- Keyed hashes of the remaining codes.
  hashes text[] not null,
  generated_at timestamptz not null
);
