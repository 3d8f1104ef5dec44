create table session_applications (
  session_id text not null,
  application_id text not null,
  user_id text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (session_id, application_id)
);
