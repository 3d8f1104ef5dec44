import type { Logo } from '../logo.ts'

export type BrandingEvent =
  | { type: 'branding.logo_updated'; data: Logo }
  | { type: 'branding.logo_deleted'; data: { digest: string } }
  /** `#0f5f66`; null for the colour of the service */
  | { type: 'branding.updated'; data: { accentColor: string | null } }
