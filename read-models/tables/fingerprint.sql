-- What each table was made of when it was created.
create table fingerprint (
  name text primary key,
  fingerprint jsonb not null
);
