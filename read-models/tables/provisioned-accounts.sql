-- Accounts of users in applications, from the log: they remain if the working tables are lost.
create table provisioned_accounts (
  application_id text not null,
  user_id text not null,
  generation integer not null,
  -- Null once the user is erased.
  remote_id text,
  active boolean not null,
  primary key (application_id, user_id)
);
create index provisioned_accounts_user on provisioned_accounts (user_id);
