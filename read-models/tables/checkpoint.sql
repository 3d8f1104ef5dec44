-- How far each consumer has come, beside the rows that it writes: both change in one transaction. Positions are the
-- log's, compared as bytes.
create table checkpoint (
  name text primary key,
  position text collate "C" not null
);
