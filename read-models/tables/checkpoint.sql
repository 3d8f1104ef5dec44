-- The position of each consumer, stored with the rows that it writes: both change in one transaction. Log positions
-- are compared as bytes.
create table checkpoint (
  name text primary key,
  position text collate "C" not null
);
