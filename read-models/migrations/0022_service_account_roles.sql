-- rebuild: role_intervals tells of the roles of service accounts too, once the log is replayed.
create index role_intervals_role on role_intervals (role, from_position);
