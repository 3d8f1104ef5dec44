/** The path of the organization's logo below the public address. It changes with the image, so it can be cached. */
export const logoPath = ({ digest }: { readonly digest: string }): string =>
  `/api/v1/branding/logo?v=${encodeURIComponent(digest)}`
