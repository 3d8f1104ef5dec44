-- Keys whose private half was lost with the secret key. What they signed before still counts.
create table if not exists proof.former_key (
  name text not null,
  public_key bytea primary key,
  sealed_private_key text not null,
  replaced_at timestamptz not null,
  -- Leaves that the tree had by then: no checkpoint of this key is of more.
  size bigint not null
);
