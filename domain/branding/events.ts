export const logoTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'] as const
export type LogoType = (typeof logoTypes)[number]

/** The image that users see on pages and in emails. */
export interface Logo {
  readonly mediaType: LogoType
  /** SHA-256 of the image, base64url */
  readonly digest: string
  /** The image, base64 */
  readonly content: string
}

export type BrandingEvent =
  | { type: 'branding.logo_updated'; data: Logo }
  | { type: 'branding.logo_deleted'; data: { digest: string } }
  /** `#0f5f66`; null for the colour of the service */
  | { type: 'branding.updated'; data: { accentColor: string | null } }
