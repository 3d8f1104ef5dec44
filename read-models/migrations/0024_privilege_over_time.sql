-- When roles were added to the account of a key: from then on the key is dead.
alter table api_keys add column outdated_at timestamptz;
update api_keys k set outdated_at = r.at
from (select k.id, min(r.from_at) as at from api_keys k
  join role_intervals r on r.user_id = k.service_account_id and r.from_at > k.created_at
    and r.from_at < coalesce(k.revoked_at, k.expired_at, 'infinity')
  group by k.id) r
where r.id = k.id;
create index api_keys_outdated on api_keys (service_account_id)
  where outdated_at is not null and revoked_at is null and expired_at is null;

-- An enrolment link does not outlive a role that its person is given. Earlier versions recorded the link of a new
-- administrator before the roles, in one moment.
delete from enrollment_links l using role_intervals r where r.user_id = l.user_id and r.from_at >= l.created_at;
