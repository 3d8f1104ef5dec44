create table network_zones (
  id text primary key,
  status text not null,
  name text not null,
  -- Lower case; null if deleted.
  name_key text,
  type text not null,
  cidrs text[] not null,
  countries text[] not null,
  asns bigint[] not null,
  anonymizers boolean not null,
  blocked boolean not null,
  trusted boolean not null,
  created_at timestamptz not null,
  -- Earlier sign-ins do not say whether they came from this zone.
  created_position text collate "C" not null,
  updated_at timestamptz not null,
  version integer not null
);
create index network_zones_name_key on network_zones (name_key);
create index network_zones_by_name on network_zones ((lower(name) collate "C"), id);
