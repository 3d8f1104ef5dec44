import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import { commonTexts } from '../kit/common-texts.ts'
import { icons } from '../kit/icons.ts'
import { address, moment } from '../kit/layout.ts'
import { dialog } from './dialog.ts'
import { removes, section } from './frame.ts'

const words = texts({
  en: {
    title: 'Linked accounts',
    hint: 'External accounts that you can sign in with.',
    external: 'External account',
    theExternal: 'the external account',
    linked: (at: Html) => html`Linked ${at}.`,
    remove: 'Remove this linked account?',
    removal: html`<strong data-subject></strong> can no longer be used to sign in here. Nothing changes at the
      other service.`,
  },
  de: {
    title: 'Verknüpfte Konten',
    hint: 'Externe Konten, mit denen Sie sich anmelden können.',
    external: 'Externes Konto',
    theExternal: 'das externe Konto',
    linked: (at) => html`Verknüpft am ${at}.`,
    remove: 'Dieses verknüpfte Konto entfernen?',
    removal: html`Mit <strong data-subject></strong> können Sie sich hier nicht mehr anmelden. Beim anderen
      Dienst ändert sich nichts.`,
  },
})

export interface AccountLink {
  readonly id: string
  /** The address that the identity provider returned */
  readonly email?: string | undefined
  readonly linkedAt: string
}

const row = ({ id, email, linkedAt }: AccountLink, language: Language): Html =>
  html`<li>
    <span class="glyph">${icons.link}</span>
    <div>
      <p class="row-title">${email ? address(email) : words[language].external}</p>
      <p class="row-detail">${words[language].linked(moment(linkedAt, language))}</p>
    </div>
    <div class="actions needs-script">
      ${removes('unlink', { id, name: email ?? words[language].theExternal }, language)}
    </div>
  </li>`

/** Hidden for users without linked accounts: an account is linked by signing in with it. */
export const linkedAccountsSection = (all: readonly AccountLink[], language: Language): Html | false =>
  all.length > 0 &&
  section({
    id: 'linked-accounts',
    title: words[language].title,
    hint: words[language].hint,
    body: html`<ul class="rows">
      ${all.map((link) => row(link, language))}
    </ul>`,
  })

export const linkedAccountsDialog = (language: Language): Html =>
  dialog({
    language,
    name: 'unlink',
    title: words[language].remove,
    body: html`<p>${words[language].removal}</p>`,
    confirm: commonTexts[language].remove,
    look: 'problem',
  })
