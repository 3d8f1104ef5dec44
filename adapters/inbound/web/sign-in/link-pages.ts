import { html } from '../../../kernel/html.ts'
import { texts } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { emblem, needsScript, htmlPage, reports, type PageModel } from '../kit/layout.ts'
import { errorPage } from './error-page.ts'
import { errorText } from './error-texts.ts'

/** Pages of emailed links. Opening one has no effect, because programs that scan emails open links as well. */
export type MailedLink = 'magic-link' | 'verify-email'

const words = texts({
  en: {
    'magic-link': {
      title: (organization: string) => `Sign in to ${organization}`,
      why: 'This signs you in on this browser. If you did not request it, close this page.',
      button: 'Sign in',
      gone: 'It has expired, was already used, or was replaced by a newer link. You can request a new one.',
      next: { label: 'Get a new link', href: '/sign-in' },
    },
    'verify-email': {
      title: (organization: string) => `Confirm your email address for ${organization}`,
      why: 'Click the button to confirm that this address is yours. If you did not request this, close this page.',
      button: 'Confirm address',
      gone: 'It has expired, or your address has changed. You can request a new one on your account page.',
      next: { label: 'Open your account', href: '/account' },
    },
    confirmed: 'Address confirmed',
    thanks: (organization: string) => `Thank you. Your email address at ${organization} is confirmed.`,
  },
  de: {
    'magic-link': {
      title: (organization) => `Anmeldung bei ${organization}`,
      why: 'Damit melden Sie sich in diesem Browser an. Wenn Sie das nicht angefordert haben, schließen Sie diese Seite.',
      button: 'Anmelden',
      gone: 'Er ist abgelaufen, wurde schon verwendet oder durch einen neueren Link ersetzt. Sie können einen neuen anfordern.',
      next: { label: 'Neuen Link anfordern', href: '/sign-in' },
    },
    'verify-email': {
      title: (organization) => `E-Mail-Adresse für ${organization} bestätigen`,
      why: 'Klicken Sie auf die Schaltfläche, um zu bestätigen, dass diese Adresse Ihnen gehört. Wenn Sie das nicht angefordert haben, schließen Sie diese Seite.',
      button: 'Adresse bestätigen',
      gone: 'Er ist abgelaufen, oder Ihre Adresse wurde geändert. Sie können auf Ihrer Kontoseite einen neuen anfordern.',
      next: { label: 'Ihr Konto öffnen', href: '/account' },
    },
    confirmed: 'Adresse bestätigt',
    thanks: (organization) => `Vielen Dank. Ihre E-Mail-Adresse bei ${organization} ist bestätigt.`,
  },
})

/**
 * The page that the link opens. Its script reads `data-link` and `data-token` and runs the action when the button is
 * pressed.
 */
export const mailedLinkPage = (
  model: PageModel & { readonly link: MailedLink; readonly token: string },
): string => {
  const { title, why, button } = words[model.language][model.link]
  const heading = title(model.organization.name)
  return htmlPage(model, {
    title: heading,
    width: 'focus',
    scripts: ['mailed-link.js'],
    referrer: 'no-referrer',
    main: html`<section class="card card-focus" data-link="${model.link}" data-token="${model.token}">
      <div class="lead">
        ${emblem('mail')}
        <h1>${heading}</h1>
        <p>${why}</p>
      </div>
      ${needsScript(model.language)}
      <div class="stack needs-script">
        ${reports()}
        <button class="button button-primary button-wide" type="button" data-action="go-on">${button}</button>
      </div>
    </section>`,
  })
}

/** The page for such a link that is unknown, used, replaced or expired. Send it with status 404. */
export const mailedLinkExpiredPage = (model: PageModel & { readonly link: MailedLink }): string => {
  const { gone, next } = words[model.language][model.link]
  return errorPage({
    ...model,
    ...errorText('ERR_LINK_EXPIRED', undefined, model.language),
    message: gone,
    code: 'ERR_LINK_EXPIRED',
    actions: [next],
  })
}

/** The page after confirming an address. */
export const emailVerifiedPage = (model: PageModel): string =>
  htmlPage(model, {
    title: words[model.language].confirmed,
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${emblem('done', 'done')}
        <h1>${words[model.language].confirmed}</h1>
        <p>${words[model.language].thanks(model.organization.name)}</p>
      </div>
      <a class="button button-primary button-wide" href="/account"
        >${commonTexts[model.language].openAccount}</a
      >
    </section>`,
  })
