-- Every event type and schema version that this release or a later one has written to the log, wherever the log is.
-- A release that does not know one of them does not start.
CREATE TABLE work.event_type (
  type             text NOT NULL,
  schema           integer NOT NULL,
  first_written_by text NOT NULL,
  PRIMARY KEY (type, schema)
);
