-- The accounts of people there, as far as the log tells: what remains should the working tables be lost.
create table provisioned_accounts (
  application_id text not null,
  user_id text not null,
  generation integer not null,
  -- Null once the person is erased.
  remote_id text,
  active boolean not null,
  primary key (application_id, user_id)
);
create index provisioned_accounts_user on provisioned_accounts (user_id);
