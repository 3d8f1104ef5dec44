/** What the sign-in page and an email look like with settings that are not saved, drawn by what draws the real ones. */
import type { Services } from '../../application/services/services.ts'
import { magicLinksOffered } from '../../application/sign-in/magic-links.ts'
import { invitation } from '../../outbound/mail/contents.ts'
import { renderEmail } from '../../outbound/mail/render-email.ts'
import { senderOf } from '../../outbound/mail/sender.ts'
import type { DrawPreview } from '../api/branding-preview.ts'
import { themeCss } from '../api/theme.ts'
import type { Assets } from './assets.ts'
import { stillDocument } from './kit/still.ts'
import { organizationOf } from './pages.ts'
import { signInPage } from './sign-in/sign-in-page.ts'
import { waysOf } from './sign-in/ways.ts'

const READER = 'Ada Lovelace'
/** No token: the link in the email opens nothing. */
const EXAMPLE = 'example'

const HOUR_SECONDS = 3600

export const brandingPreviews = (
  services: Pick<Services, 'configuration' | 'publicUrl' | 'clock' | 'mail'>,
  assets: Pick<Assets, 'url' | 'still'>,
): DrawPreview => {
  const { configuration, publicUrl, clock } = services

  return async ({ page, theme, language, accentColor, name, supportEmail }) => {
    const saved = await configuration.fresh()
    const { supportEmail: savedSupport, ...settings } = saved.settings
    const support = supportEmail === undefined ? savedSupport : supportEmail
    const color = accentColor === undefined ? saved.accentColor : accentColor
    const shown = {
      logo: saved.logo,
      accentColor: color,
      settings: {
        ...settings,
        organizationName: name ?? settings.organizationName,
        ...(typeof support === 'string' ? { supportEmail: support } : {}),
      },
    }
    if (page === 'email') {
      const sender = senderOf(shown, publicUrl, language)
      const content = invitation(
        { name: READER, organization: sender.organization, publicUrl, language },
        {
          url: `${publicUrl}/enroll/${EXAMPLE}`,
          expiresAt: clock.in(settings.inviteLifetimeHours * HOUR_SECONDS),
        },
      )
      return stillDocument(renderEmail(content, sender).html, theme)
    }
    const markup = signInPage({
      language,
      // The saved colour has a style sheet of its own; this one may be another.
      organization: { ...organizationOf(shown), themeUrl: undefined },
      asset: (asset) => (asset === 'app.css' ? assets.still(theme) : assets.url(asset)),
      ways: waysOf(saved.methods, await magicLinksOffered(services), false, saved.identityProviders),
      linkMinutes: settings.magicLinkMinutes,
    })
    return stillDocument(markup, theme, color === null ? '' : themeCss(color))
  }
}
