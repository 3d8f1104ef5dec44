create table branding (
  id text primary key,
  -- Null without a logo, like the two after it.
  media_type text,
  -- SHA-256 of the image, base64url
  digest text,
  -- The image, base64
  content text,
  -- #0f5f66; null for the colour of the service
  accent_color text,
  updated_at timestamptz not null
);
