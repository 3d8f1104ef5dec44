-- When an instance was last seen that reads a schema of read models. Those that nobody reads are dropped after a while.
create table work.read_model_use (
  schema text primary key,
  last_used_at timestamptz not null
);
