-- Tokens that a user authorized for an application before this log position are invalid.
create table revoked_applications (
  user_id text not null,
  application_id text not null,
  tokens_void_before text collate "C" not null,
  revoked_at timestamptz not null,
  primary key (user_id, application_id)
);
