create table application_logos (
  application_id text primary key,
  media_type text not null,
  -- SHA-256 of the image, base64url
  digest text not null,
  -- The image, base64
  content text not null
);
