/** The path of the organization's logo below the public address. It changes with the image, so it can be cached. */
export const logoPath = ({ digest }: { readonly digest: string }): string =>
  `/api/v1/branding/logo?v=${encodeURIComponent(digest)}`

/** The path of the style sheet with the organization's accent colour, in the same way. */
export const themePath = (accentColor: string): string =>
  `/api/v1/branding/theme.css?v=${accentColor.slice(1)}`
