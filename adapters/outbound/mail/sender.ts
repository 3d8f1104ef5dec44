import type { Configuration } from '../../application/services/configuration.ts'
import { logoPath } from '../../application/services/logo-path.ts'
import type { Language } from '../../kernel/language.ts'
import type { Sender } from './render-email.ts'

/** Returns the sender that emails in a language show. @param publicUrl without a trailing slash */
export const senderOf = (
  { settings, logo, accentColor }: Pick<Configuration, 'settings' | 'logo' | 'accentColor'>,
  publicUrl: string,
  language: Language,
): Sender => {
  // Mail programs do not show SVG.
  const isShown = logo !== null && logo.mediaType !== 'image/svg+xml'
  return {
    organization: settings.organizationName,
    logoUrl: isShown ? publicUrl + logoPath(logo) : null,
    supportEmail: settings.supportEmail ?? null,
    accentColor,
    language,
  }
}
