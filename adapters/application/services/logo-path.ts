import type { ApplicationConfiguration } from '../../../read-models/queries/configuration.ts'

/** The path of the organization's logo below the public address. It changes with the image, so it can be cached. */
export const logoPath = ({ digest }: { readonly digest: string }): string =>
  `/api/v1/branding/logo?v=${encodeURIComponent(digest)}`

/** The path of an application's uploaded logo, in the same way. */
export const applicationLogoPath = (applicationId: string, digest: string): string =>
  `/api/v1/applications/${applicationId}/logo?v=${encodeURIComponent(digest)}`

/** Returns the address of an application's logo. An uploaded one takes precedence over that of another site. */
export const applicationLogoUrl = (
  { id, logo, settings }: Pick<ApplicationConfiguration, 'id' | 'logo' | 'settings'>,
  publicUrl: string,
): string | undefined => (logo === null ? settings.logoUrl : publicUrl + applicationLogoPath(id, logo.digest))

/** The path of the style sheet with the organization's accent colour, in the same way. */
export const themePath = (accentColor: string): string =>
  `/api/v1/branding/theme.css?v=${accentColor.slice(1)}`
