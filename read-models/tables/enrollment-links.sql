create table enrollment_links (
  user_id text primary key,
  token_hash text not null,
  mailed_token_hash text,
  kind text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index enrollment_links_token on enrollment_links (token_hash);
create index enrollment_links_mailed on enrollment_links (mailed_token_hash);
